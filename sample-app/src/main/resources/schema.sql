CREATE TABLE IF NOT EXISTS orders (
    id         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer   VARCHAR        NOT NULL,
    item       VARCHAR        NOT NULL,
    amount     DECIMAL(12, 2) NOT NULL,
    state      VARCHAR(10)    NOT NULL,
    payment_id VARCHAR(40),
    version    INT            NOT NULL DEFAULT 1
);
