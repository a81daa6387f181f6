"""What administrators see of the site: its vitals, queue, configuration and log."""
