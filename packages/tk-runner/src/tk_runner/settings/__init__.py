"""What a user may configure: groups that check themselves, and the check of a whole config."""
