reload_watchdog() { control daemon-reexec; }
