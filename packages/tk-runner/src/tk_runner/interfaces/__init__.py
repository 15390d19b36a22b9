"""What the parts of a run may know of each other, as types; nothing here does anything."""
