read_token() { token=$(cat "$token_from"); }
