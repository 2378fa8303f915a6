remove_token() { rm -f "$token_from"; }
