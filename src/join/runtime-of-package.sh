# Some packages start it, and it may have been configured without a change.
enable_runtime() { control enable "$runtime_unit"; }
start_runtime() { control start "$runtime_unit"; }
