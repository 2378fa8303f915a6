reload_journal() { control -q try-restart systemd-journald; }
