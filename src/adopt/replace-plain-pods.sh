is_done() { prints_nothing plain_pods; }
has_worked() { is_done; }
