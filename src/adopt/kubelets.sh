is_done() { prints_nothing older_kubelets "$oldest"; }
has_worked() { is_done; }
