"""Where bytes are kept: one class per kind of store, behind one contract."""
