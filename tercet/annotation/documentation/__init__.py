"""The documentation, as pages of the site, and the section that concerns each other page."""
