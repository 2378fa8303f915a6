restart_runtime() { control daemon-reload; control restart "$runtime_unit"; }
