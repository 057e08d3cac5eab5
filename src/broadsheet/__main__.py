"""`python -m broadsheet`: the command line."""

from broadsheet.cli import main

if __name__ == "__main__":
    main()
