stage_proxy() { rm -f "$update/new/proxy" && write_drop_in "$update/new/proxy"; }
change_proxy() { put "$update/new/proxy" "$drop_in" 0600; }
