"""What runs on the far side: standard library only, started fresh, never imported by the host but for its constants."""
