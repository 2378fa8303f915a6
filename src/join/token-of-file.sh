read_token() { token=$(cat "$token_from") || { say "$token_from cannot be read"; return 66; }; }
