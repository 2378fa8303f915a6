unlock() { rm -f "$run/lock"; }
