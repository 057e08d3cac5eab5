"""HTML to a flat node table: the first step of the flow."""
