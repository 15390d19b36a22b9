"""How values become text or bytes: one class per format, behind one contract."""
