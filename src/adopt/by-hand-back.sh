undo() { say "$way_back"; }
