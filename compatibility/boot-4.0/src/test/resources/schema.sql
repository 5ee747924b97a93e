CREATE TABLE ledger (item VARCHAR(100), amount INT);
