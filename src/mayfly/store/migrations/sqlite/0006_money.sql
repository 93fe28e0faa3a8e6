-- Money: what was bought and what was sold, and the names under which both are added up. Each row follows from the events
-- of its subject alone and is written in one transaction with them: `log verify` recounts it. The database itself holds
-- which state may follow which, that the terms never change, and that no row is ever taken away.

-- Without a rowid, the id is the only key over which REPLACE could put another row; the other unique ones are guarded.
CREATE TABLE mayfly_payments (
    id TEXT NOT NULL PRIMARY KEY CHECK (typeof(id) = 'text' AND id <> ''),
    call TEXT NOT NULL CHECK (typeof(call) = 'text' AND call <> ''),
    url TEXT NOT NULL CHECK (typeof(url) = 'text'),
    host TEXT NOT NULL CHECK (typeof(host) = 'text'),
    method TEXT NOT NULL CHECK (typeof(method) = 'text'),
    request TEXT NOT NULL CHECK (typeof(request) = 'text'),
    network TEXT NOT NULL CHECK (typeof(network) = 'text' AND network <> ''),
    asset TEXT NOT NULL CHECK (typeof(asset) = 'text' AND asset <> ''),
    payee TEXT NOT NULL CHECK (typeof(payee) = 'text' AND payee <> ''),
    payer TEXT NOT NULL CHECK (typeof(payer) = 'text' AND payer <> ''),
    units INTEGER NOT NULL CHECK (typeof(units) = 'integer' AND units > 0),
    decimals INTEGER NOT NULL CHECK (typeof(decimals) = 'integer' AND decimals BETWEEN 0 AND 255),
    valid_after INTEGER NOT NULL CHECK (typeof(valid_after) = 'integer' AND valid_after >= 0),
    valid_before INTEGER NOT NULL CHECK (typeof(valid_before) = 'integer' AND valid_before >= 0),
    nonce TEXT NOT NULL CHECK (typeof(nonce) = 'text'),
    payload TEXT NOT NULL CHECK (typeof(payload) = 'text'),
    state TEXT NOT NULL CHECK (typeof(state) = 'text'),
    turn INTEGER NOT NULL CHECK (typeof(turn) = 'integer' AND turn >= 0),
    transaction_hash TEXT NOT NULL CHECK (typeof(transaction_hash) = 'text'),
    block INTEGER NOT NULL CHECK (typeof(block) = 'integer' AND block >= 0),
    answer TEXT NOT NULL CHECK (typeof(answer) = 'text'),
    reason TEXT NOT NULL CHECK (typeof(reason) = 'text'),
    agent TEXT NOT NULL CHECK (typeof(agent) = 'text'),
    run TEXT NOT NULL CHECK (typeof(run) = 'text'),
    tool TEXT NOT NULL CHECK (typeof(tool) = 'text'),
    strategy TEXT NOT NULL CHECK (typeof(strategy) = 'text'),
    at TEXT NOT NULL CHECK (typeof(at) = 'text'),
    changed TEXT NOT NULL CHECK (typeof(changed) = 'text')
) WITHOUT ROWID;

-- One live authorization for a call: it is paid again only once the one before is known never to be charged.
CREATE UNIQUE INDEX mayfly_payments_live ON mayfly_payments (call) WHERE state <> 'released';

CREATE INDEX mayfly_payments_call ON mayfly_payments (call, at);

CREATE INDEX mayfly_payments_state ON mayfly_payments (state, id);

CREATE INDEX mayfly_payments_at ON mayfly_payments (network, asset, at);

CREATE INDEX mayfly_payments_agent ON mayfly_payments (agent, at);

CREATE TABLE mayfly_sales (
    id TEXT NOT NULL PRIMARY KEY CHECK (typeof(id) = 'text' AND id <> ''),
    network TEXT NOT NULL CHECK (typeof(network) = 'text' AND network <> ''),
    asset TEXT NOT NULL CHECK (typeof(asset) = 'text' AND asset <> ''),
    payer TEXT NOT NULL CHECK (typeof(payer) = 'text' AND payer <> ''),
    nonce TEXT NOT NULL CHECK (typeof(nonce) = 'text' AND nonce <> ''),
    request TEXT NOT NULL CHECK (typeof(request) = 'text' AND request <> ''),
    tool TEXT NOT NULL CHECK (typeof(tool) = 'text' AND tool <> ''),
    version INTEGER NOT NULL CHECK (typeof(version) = 'integer' AND version >= 0),
    units INTEGER NOT NULL CHECK (typeof(units) = 'integer' AND units > 0),
    decimals INTEGER NOT NULL CHECK (typeof(decimals) = 'integer' AND decimals BETWEEN 0 AND 255),
    payee TEXT NOT NULL CHECK (typeof(payee) = 'text' AND payee <> ''),
    valid_before INTEGER NOT NULL CHECK (typeof(valid_before) = 'integer' AND valid_before >= 0),
    payload TEXT NOT NULL CHECK (typeof(payload) = 'text' AND payload <> ''),
    state TEXT NOT NULL CHECK (typeof(state) = 'text'),
    turn INTEGER NOT NULL CHECK (typeof(turn) = 'integer' AND turn >= 0),
    lease INTEGER NOT NULL CHECK (typeof(lease) = 'integer' AND lease >= 0),
    answer TEXT NOT NULL CHECK (typeof(answer) = 'text'),
    transaction_hash TEXT NOT NULL CHECK (typeof(transaction_hash) = 'text'),
    block INTEGER NOT NULL CHECK (typeof(block) = 'integer' AND block >= 0),
    gas TEXT NOT NULL CHECK (typeof(gas) = 'text'),
    reason TEXT NOT NULL CHECK (typeof(reason) = 'text'),
    strategy TEXT NOT NULL CHECK (typeof(strategy) = 'text'),
    at TEXT NOT NULL CHECK (typeof(at) = 'text'),
    changed TEXT NOT NULL CHECK (typeof(changed) = 'text'),
    UNIQUE (network, asset, payer, nonce)
) WITHOUT ROWID;

CREATE INDEX mayfly_sales_state ON mayfly_sales (state, id);

CREATE TRIGGER mayfly_payments_insert BEFORE INSERT ON mayfly_payments
BEGIN
    SELECT RAISE(ABORT, 'mayfly_payments: a payment begins reserved')
    WHERE (NEW.state = 'reserved' AND NEW.turn = 1 AND NEW.nonce = '' AND NEW.payload = '' AND NEW.valid_after = 0
        AND NEW.valid_before = 0 AND NEW.transaction_hash = '' AND NEW.block = 0 AND NEW.answer = '') IS NOT TRUE;
    SELECT RAISE(ABORT, 'mayfly_payments: it is there already')
    WHERE EXISTS (SELECT 1 FROM mayfly_payments WHERE id = NEW.id OR (call = NEW.call AND state <> 'released'));
END;

CREATE TRIGGER mayfly_payments_update BEFORE UPDATE ON mayfly_payments
BEGIN
    SELECT RAISE(ABORT, 'mayfly_payments: the terms never change')
    WHERE NEW.id IS NOT OLD.id OR NEW.call IS NOT OLD.call OR NEW.url IS NOT OLD.url
        OR NEW.host IS NOT OLD.host OR NEW.method IS NOT OLD.method OR NEW.request IS NOT OLD.request
        OR NEW.network IS NOT OLD.network OR NEW.asset IS NOT OLD.asset OR NEW.payee IS NOT OLD.payee
        OR NEW.payer IS NOT OLD.payer OR NEW.units IS NOT OLD.units OR NEW.decimals IS NOT OLD.decimals
        OR NEW.agent IS NOT OLD.agent OR NEW.run IS NOT OLD.run OR NEW.tool IS NOT OLD.tool
        OR NEW.strategy IS NOT OLD.strategy OR NEW.at IS NOT OLD.at;
    SELECT RAISE(ABORT, 'mayfly_payments: this state does not follow that one')
    WHERE NEW.turn IS NOT OLD.turn + 1 OR (
        (OLD.state = 'reserved' AND NEW.state IN ('sent', 'released'))
        OR (OLD.state = 'sent' AND NEW.state IN ('unknown', 'settled', 'released', 'disputed'))
        OR (OLD.state = 'unknown' AND NEW.state IN ('unknown', 'settled', 'released', 'disputed'))
        OR (OLD.state = 'settled' AND NEW.state IN ('delivered', 'disputed'))
        OR (OLD.state = 'disputed' AND NEW.state IN ('delivered'))
    ) IS NOT TRUE;
    SELECT RAISE(ABORT, 'mayfly_payments: what is signed is written once, as it is sent')
    WHERE (
        (OLD.state = 'reserved' AND NEW.state = 'sent'
            AND NEW.nonce <> '' AND NEW.payload <> '' AND NEW.valid_before > NEW.valid_after)
        OR (NOT (OLD.state = 'reserved' AND NEW.state = 'sent') AND NEW.nonce = OLD.nonce AND NEW.payload = OLD.payload
            AND NEW.valid_after = OLD.valid_after AND NEW.valid_before = OLD.valid_before)
    ) IS NOT TRUE;
    SELECT RAISE(ABORT, 'mayfly_payments: only what the chain shows settles or releases')
    WHERE (
        (OLD.state IN ('sent', 'unknown') AND NEW.state IN ('settled', 'disputed')
            AND NEW.transaction_hash <> '' AND NEW.block > 0)
        OR (OLD.state IN ('sent', 'unknown') AND NEW.state = 'released' AND NEW.transaction_hash = '' AND NEW.block > 0)
        OR (NOT (OLD.state IN ('sent', 'unknown') AND NEW.state IN ('settled', 'disputed', 'released'))
            AND NEW.transaction_hash = OLD.transaction_hash AND NEW.block = OLD.block)
    ) IS NOT TRUE;
    SELECT RAISE(ABORT, 'mayfly_payments: an answer stays, and is needed to deliver')
    WHERE (
        (NEW.answer <> '' OR (OLD.answer = '' AND NEW.state <> 'delivered'))
    ) IS NOT TRUE;
END;

CREATE TRIGGER mayfly_payments_delete BEFORE DELETE ON mayfly_payments
BEGIN
    SELECT RAISE(ABORT, 'mayfly_payments: DELETE refused');
END;

CREATE TRIGGER mayfly_sales_insert BEFORE INSERT ON mayfly_sales
BEGIN
    SELECT RAISE(ABORT, 'mayfly_sales: a sale begins claimed')
    WHERE (NEW.state = 'claimed' AND NEW.turn = 1 AND NEW.answer = '' AND NEW.transaction_hash = '' AND NEW.block = 0
        AND NEW.gas = '') IS NOT TRUE;
    SELECT RAISE(ABORT, 'mayfly_sales: it is there already')
    WHERE EXISTS (SELECT 1 FROM mayfly_sales WHERE id = NEW.id
        OR (network = NEW.network AND asset = NEW.asset AND payer = NEW.payer AND nonce = NEW.nonce));
END;

CREATE TRIGGER mayfly_sales_update BEFORE UPDATE ON mayfly_sales
BEGIN
    SELECT RAISE(ABORT, 'mayfly_sales: the terms never change')
    WHERE NEW.id IS NOT OLD.id OR NEW.network IS NOT OLD.network OR NEW.asset IS NOT OLD.asset
        OR NEW.payer IS NOT OLD.payer OR NEW.nonce IS NOT OLD.nonce OR NEW.request IS NOT OLD.request
        OR NEW.tool IS NOT OLD.tool OR NEW.version IS NOT OLD.version OR NEW.units IS NOT OLD.units
        OR NEW.decimals IS NOT OLD.decimals OR NEW.payee IS NOT OLD.payee
        OR NEW.valid_before IS NOT OLD.valid_before OR NEW.payload IS NOT OLD.payload
        OR NEW.strategy IS NOT OLD.strategy OR NEW.at IS NOT OLD.at;
    SELECT RAISE(ABORT, 'mayfly_sales: this state does not follow that one')
    WHERE NEW.turn IS NOT OLD.turn + 1 OR (
        (OLD.state = 'claimed' AND NEW.state IN ('claimed', 'answered', 'failed'))
        OR (OLD.state = 'answered' AND NEW.state IN ('settling', 'lapsed'))
        OR (OLD.state = 'settling' AND NEW.state IN ('settling', 'settled', 'lapsed'))
    ) IS NOT TRUE;
    SELECT RAISE(ABORT, 'mayfly_sales: the answer is written once')
    WHERE (
        (OLD.state = 'claimed' AND NEW.state = 'answered' AND NEW.answer <> '')
        OR (NOT (OLD.state = 'claimed' AND NEW.state = 'answered') AND NEW.answer = OLD.answer)
    ) IS NOT TRUE;
    SELECT RAISE(ABORT, 'mayfly_sales: only what the chain shows settles')
    WHERE (
        (NEW.state = 'settled' AND NEW.transaction_hash <> '' AND NEW.block > 0)
        OR (NEW.state = 'lapsed' AND NEW.transaction_hash = '')
        OR (NEW.state NOT IN ('settled', 'lapsed') AND NEW.transaction_hash = OLD.transaction_hash
            AND NEW.block = OLD.block AND NEW.gas = OLD.gas)
    ) IS NOT TRUE;
END;

CREATE TRIGGER mayfly_sales_delete BEFORE DELETE ON mayfly_sales
BEGIN
    SELECT RAISE(ABORT, 'mayfly_sales: DELETE refused');
END;

-- Names of strategies, without a prefix: tables that agents make refer to them.
CREATE TABLE strategies (
    name TEXT NOT NULL PRIMARY KEY CHECK (typeof(name) = 'text' AND name <> ''),
    note TEXT NOT NULL CHECK (typeof(note) = 'text'),
    at TEXT NOT NULL CHECK (typeof(at) = 'text')
) WITHOUT ROWID;

CREATE TRIGGER mayfly_strategies_insert BEFORE INSERT ON strategies
WHEN EXISTS (SELECT 1 FROM strategies WHERE name = NEW.name)
BEGIN
    SELECT RAISE(ABORT, 'strategies: it is there already');
END;

CREATE TRIGGER mayfly_strategies_update BEFORE UPDATE ON strategies
WHEN NEW.name IS NOT OLD.name OR NEW.note IS NOT OLD.note OR NEW.at IS NOT OLD.at
BEGIN
    SELECT RAISE(ABORT, 'strategies: UPDATE refused');
END;

CREATE TRIGGER mayfly_strategies_delete BEFORE DELETE ON strategies
BEGIN
    SELECT RAISE(ABORT, 'strategies: DELETE refused');
END;
