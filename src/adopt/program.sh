has_worked() { webhooks_are_served; }
