-- Money: what was bought and what was sold, and the names under which both are added up. Each row follows from the events
-- of its subject alone and is written in one transaction with them: `log verify` recounts it. The database itself holds
-- which state may follow which, that the terms never change, and that no row is ever taken away.

CREATE TABLE mayfly_payments (
    id text NOT NULL PRIMARY KEY CHECK (id <> ''),
    call text NOT NULL CHECK (call <> ''),
    url text NOT NULL,
    host text NOT NULL,
    method text NOT NULL,
    request text NOT NULL,
    network text NOT NULL CHECK (network <> ''),
    asset text NOT NULL CHECK (asset <> ''),
    payee text NOT NULL CHECK (payee <> ''),
    payer text NOT NULL CHECK (payer <> ''),
    units bigint NOT NULL CHECK (units > 0),
    decimals bigint NOT NULL CHECK (decimals BETWEEN 0 AND 255),
    valid_after bigint NOT NULL CHECK (valid_after >= 0),
    valid_before bigint NOT NULL CHECK (valid_before >= 0),
    nonce text NOT NULL,
    payload text NOT NULL,
    state text NOT NULL,
    turn bigint NOT NULL CHECK (turn >= 0),
    transaction_hash text NOT NULL,
    block bigint NOT NULL CHECK (block >= 0),
    answer text NOT NULL,
    reason text NOT NULL,
    agent text NOT NULL,
    run text NOT NULL,
    tool text NOT NULL,
    strategy text NOT NULL,
    at text NOT NULL,
    changed text NOT NULL
);

-- One live authorization for a call: it is paid again only once the one before is known never to be charged.
CREATE UNIQUE INDEX mayfly_payments_live ON mayfly_payments (call) WHERE state <> 'released';

CREATE INDEX mayfly_payments_call ON mayfly_payments (call, at);

CREATE INDEX mayfly_payments_state ON mayfly_payments (state, id);

CREATE INDEX mayfly_payments_at ON mayfly_payments (network, asset, at);

CREATE INDEX mayfly_payments_agent ON mayfly_payments (agent, at);

CREATE TABLE mayfly_sales (
    id text NOT NULL PRIMARY KEY CHECK (id <> ''),
    network text NOT NULL CHECK (network <> ''),
    asset text NOT NULL CHECK (asset <> ''),
    payer text NOT NULL CHECK (payer <> ''),
    nonce text NOT NULL CHECK (nonce <> ''),
    request text NOT NULL CHECK (request <> ''),
    tool text NOT NULL CHECK (tool <> ''),
    version bigint NOT NULL CHECK (version >= 0),
    units bigint NOT NULL CHECK (units > 0),
    decimals bigint NOT NULL CHECK (decimals BETWEEN 0 AND 255),
    payee text NOT NULL CHECK (payee <> ''),
    valid_before bigint NOT NULL CHECK (valid_before >= 0),
    payload text NOT NULL CHECK (payload <> ''),
    state text NOT NULL,
    turn bigint NOT NULL CHECK (turn >= 0),
    lease bigint NOT NULL CHECK (lease >= 0),
    answer text NOT NULL,
    transaction_hash text NOT NULL,
    block bigint NOT NULL CHECK (block >= 0),
    gas text NOT NULL,
    reason text NOT NULL,
    strategy text NOT NULL,
    at text NOT NULL,
    changed text NOT NULL,
    UNIQUE (network, asset, payer, nonce)
);

CREATE INDEX mayfly_sales_state ON mayfly_sales (state, id);

CREATE FUNCTION mayfly_payments_guard() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF (NEW.state = 'reserved' AND NEW.turn = 1 AND NEW.nonce = '' AND NEW.payload = '' AND NEW.valid_after = 0
            AND NEW.valid_before = 0 AND NEW.transaction_hash = '' AND NEW.block = 0 AND NEW.answer = '') IS NOT TRUE THEN
            RAISE EXCEPTION 'mayfly_payments: a payment begins reserved' USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF NEW.id IS DISTINCT FROM OLD.id OR NEW.call IS DISTINCT FROM OLD.call
        OR NEW.url IS DISTINCT FROM OLD.url OR NEW.host IS DISTINCT FROM OLD.host
        OR NEW.method IS DISTINCT FROM OLD.method OR NEW.request IS DISTINCT FROM OLD.request
        OR NEW.network IS DISTINCT FROM OLD.network OR NEW.asset IS DISTINCT FROM OLD.asset
        OR NEW.payee IS DISTINCT FROM OLD.payee OR NEW.payer IS DISTINCT FROM OLD.payer
        OR NEW.units IS DISTINCT FROM OLD.units OR NEW.decimals IS DISTINCT FROM OLD.decimals
        OR NEW.agent IS DISTINCT FROM OLD.agent OR NEW.run IS DISTINCT FROM OLD.run
        OR NEW.tool IS DISTINCT FROM OLD.tool OR NEW.strategy IS DISTINCT FROM OLD.strategy
        OR NEW.at IS DISTINCT FROM OLD.at
    THEN
        RAISE EXCEPTION 'mayfly_payments: the terms never change' USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.turn IS DISTINCT FROM OLD.turn + 1 OR (
        (OLD.state = 'reserved' AND NEW.state IN ('sent', 'released'))
        OR (OLD.state = 'sent' AND NEW.state IN ('unknown', 'settled', 'released', 'disputed'))
        OR (OLD.state = 'unknown' AND NEW.state IN ('unknown', 'settled', 'released', 'disputed'))
        OR (OLD.state = 'settled' AND NEW.state IN ('delivered', 'disputed'))
        OR (OLD.state = 'disputed' AND NEW.state IN ('delivered'))
    ) IS NOT TRUE THEN
        RAISE EXCEPTION 'mayfly_payments: this state does not follow that one' USING ERRCODE = 'restrict_violation';
    END IF;
    IF ((OLD.state = 'reserved' AND NEW.state = 'sent'
            AND NEW.nonce <> '' AND NEW.payload <> '' AND NEW.valid_before > NEW.valid_after)
        OR (NOT (OLD.state = 'reserved' AND NEW.state = 'sent') AND NEW.nonce = OLD.nonce AND NEW.payload = OLD.payload
            AND NEW.valid_after = OLD.valid_after AND NEW.valid_before = OLD.valid_before)
    ) IS NOT TRUE THEN
        RAISE EXCEPTION 'mayfly_payments: what is signed is written once, as it is sent' USING ERRCODE = 'restrict_violation';
    END IF;
    IF ((OLD.state IN ('sent', 'unknown') AND NEW.state IN ('settled', 'disputed')
            AND NEW.transaction_hash <> '' AND NEW.block > 0)
        OR (OLD.state IN ('sent', 'unknown') AND NEW.state = 'released' AND NEW.transaction_hash = '' AND NEW.block > 0)
        OR (NOT (OLD.state IN ('sent', 'unknown') AND NEW.state IN ('settled', 'disputed', 'released'))
            AND NEW.transaction_hash = OLD.transaction_hash AND NEW.block = OLD.block)
    ) IS NOT TRUE THEN
        RAISE EXCEPTION 'mayfly_payments: only what the chain shows settles or releases' USING ERRCODE = 'restrict_violation';
    END IF;
    IF ((NEW.answer <> '' OR (OLD.answer = '' AND NEW.state <> 'delivered'))
    ) IS NOT TRUE THEN
        RAISE EXCEPTION 'mayfly_payments: an answer stays, and is needed to deliver' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END;
$$;

CREATE FUNCTION mayfly_sales_guard() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF (NEW.state = 'claimed' AND NEW.turn = 1 AND NEW.answer = '' AND NEW.transaction_hash = '' AND NEW.block = 0
            AND NEW.gas = '') IS NOT TRUE THEN
            RAISE EXCEPTION 'mayfly_sales: a sale begins claimed' USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    END IF;
    IF NEW.id IS DISTINCT FROM OLD.id OR NEW.network IS DISTINCT FROM OLD.network
        OR NEW.asset IS DISTINCT FROM OLD.asset OR NEW.payer IS DISTINCT FROM OLD.payer
        OR NEW.nonce IS DISTINCT FROM OLD.nonce OR NEW.request IS DISTINCT FROM OLD.request
        OR NEW.tool IS DISTINCT FROM OLD.tool OR NEW.version IS DISTINCT FROM OLD.version
        OR NEW.units IS DISTINCT FROM OLD.units OR NEW.decimals IS DISTINCT FROM OLD.decimals
        OR NEW.payee IS DISTINCT FROM OLD.payee OR NEW.valid_before IS DISTINCT FROM OLD.valid_before
        OR NEW.payload IS DISTINCT FROM OLD.payload OR NEW.strategy IS DISTINCT FROM OLD.strategy
        OR NEW.at IS DISTINCT FROM OLD.at
    THEN
        RAISE EXCEPTION 'mayfly_sales: the terms never change' USING ERRCODE = 'restrict_violation';
    END IF;
    IF NEW.turn IS DISTINCT FROM OLD.turn + 1 OR (
        (OLD.state = 'claimed' AND NEW.state IN ('claimed', 'answered', 'failed'))
        OR (OLD.state = 'answered' AND NEW.state IN ('settling', 'lapsed'))
        OR (OLD.state = 'settling' AND NEW.state IN ('settling', 'settled', 'lapsed'))
    ) IS NOT TRUE THEN
        RAISE EXCEPTION 'mayfly_sales: this state does not follow that one' USING ERRCODE = 'restrict_violation';
    END IF;
    IF ((OLD.state = 'claimed' AND NEW.state = 'answered' AND NEW.answer <> '')
        OR (NOT (OLD.state = 'claimed' AND NEW.state = 'answered') AND NEW.answer = OLD.answer)
    ) IS NOT TRUE THEN
        RAISE EXCEPTION 'mayfly_sales: the answer is written once' USING ERRCODE = 'restrict_violation';
    END IF;
    IF ((NEW.state = 'settled' AND NEW.transaction_hash <> '' AND NEW.block > 0)
        OR (NEW.state = 'lapsed' AND NEW.transaction_hash = '')
        OR (NEW.state NOT IN ('settled', 'lapsed') AND NEW.transaction_hash = OLD.transaction_hash
            AND NEW.block = OLD.block AND NEW.gas = OLD.gas)
    ) IS NOT TRUE THEN
        RAISE EXCEPTION 'mayfly_sales: only what the chain shows settles' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END;
$$;

CREATE TRIGGER mayfly_guard BEFORE INSERT OR UPDATE ON mayfly_payments
FOR EACH ROW EXECUTE FUNCTION mayfly_payments_guard();

CREATE TRIGGER mayfly_delete BEFORE DELETE ON mayfly_payments
FOR EACH ROW EXECUTE FUNCTION mayfly_refuse();

CREATE TRIGGER mayfly_truncate BEFORE TRUNCATE ON mayfly_payments
FOR EACH STATEMENT EXECUTE FUNCTION mayfly_refuse();

ALTER TABLE mayfly_payments ENABLE ALWAYS TRIGGER mayfly_guard;
ALTER TABLE mayfly_payments ENABLE ALWAYS TRIGGER mayfly_delete;
ALTER TABLE mayfly_payments ENABLE ALWAYS TRIGGER mayfly_truncate;

CREATE TRIGGER mayfly_guard BEFORE INSERT OR UPDATE ON mayfly_sales
FOR EACH ROW EXECUTE FUNCTION mayfly_sales_guard();

CREATE TRIGGER mayfly_delete BEFORE DELETE ON mayfly_sales
FOR EACH ROW EXECUTE FUNCTION mayfly_refuse();

CREATE TRIGGER mayfly_truncate BEFORE TRUNCATE ON mayfly_sales
FOR EACH STATEMENT EXECUTE FUNCTION mayfly_refuse();

ALTER TABLE mayfly_sales ENABLE ALWAYS TRIGGER mayfly_guard;
ALTER TABLE mayfly_sales ENABLE ALWAYS TRIGGER mayfly_delete;
ALTER TABLE mayfly_sales ENABLE ALWAYS TRIGGER mayfly_truncate;

-- Names of strategies, without a prefix: tables that agents make refer to them. An application that shares the database
-- may have a table of this name; that one is left alone, and the names stay in the events.
CREATE FUNCTION mayfly_strategies_guard() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NEW.name IS DISTINCT FROM OLD.name OR NEW.note IS DISTINCT FROM OLD.note OR NEW.at IS DISTINCT FROM OLD.at THEN
        RAISE EXCEPTION 'strategies: UPDATE refused' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END;
$$;

DO $$
BEGIN
    IF to_regclass('strategies') IS NULL THEN
        CREATE TABLE strategies (
            name text NOT NULL PRIMARY KEY CHECK (name <> ''),
            note text NOT NULL,
            at text NOT NULL
        );
        CREATE TRIGGER mayfly_change BEFORE UPDATE ON strategies
        FOR EACH ROW EXECUTE FUNCTION mayfly_strategies_guard();
        CREATE TRIGGER mayfly_delete BEFORE DELETE ON strategies
        FOR EACH ROW EXECUTE FUNCTION mayfly_refuse();
        CREATE TRIGGER mayfly_truncate BEFORE TRUNCATE ON strategies
        FOR EACH STATEMENT EXECUTE FUNCTION mayfly_refuse();
        ALTER TABLE strategies ENABLE ALWAYS TRIGGER mayfly_change;
        ALTER TABLE strategies ENABLE ALWAYS TRIGGER mayfly_delete;
        ALTER TABLE strategies ENABLE ALWAYS TRIGGER mayfly_truncate;
    END IF;
END;
$$;
