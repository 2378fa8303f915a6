read_token() { token=$(sh -c "$token_command"); }
