"""Keep a site running: backups, restoring them, and checks of its health."""
