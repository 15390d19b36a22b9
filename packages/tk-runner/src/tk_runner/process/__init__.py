"""What belongs to the whole process: its environment, its seeds, requests to stop."""
