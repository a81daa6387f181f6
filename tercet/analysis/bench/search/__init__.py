"""Search the settings that give the figures of a printed table."""
