"""An MCP server: language models extract pages, discover articles and compare methods. Extra `mcp`.

broadsheet mcp                       speaks the protocol on stdin and stdout
"""
