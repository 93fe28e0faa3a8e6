BEGIN TRANSACTION;
CREATE TABLE mayfly_archived (
    subject TEXT NOT NULL,
    archive INTEGER NOT NULL,
    PRIMARY KEY (subject, archive)
) WITHOUT ROWID;
CREATE TABLE mayfly_archives (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL CHECK (typeof(name) = 'text'),
    hash TEXT NOT NULL CHECK (typeof(hash) = 'text' AND length(hash) = 64),
    events INTEGER NOT NULL,
    first INTEGER NOT NULL
);
CREATE TABLE mayfly_blobs (
    hash TEXT NOT NULL PRIMARY KEY CHECK (typeof(hash) = 'text' AND length(hash) = 64),
    data BLOB NOT NULL CHECK (typeof(data) = 'blob')
) WITHOUT ROWID;
INSERT INTO "mayfly_blobs" VALUES('0db52f4076c082518412afd3dd3576e2cb0c63703fd7fed5e23ade60efef31d9',X'616E73776572');
INSERT INTO "mayfly_blobs" VALUES('1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a',X'686561646572');
INSERT INTO "mayfly_blobs" VALUES('321bb2f0b3b47a16a8d70f24ec6b70992c26cb88253e71c5ea9655ec96ca08c5',X'32207465737473');
INSERT INTO "mayfly_blobs" VALUES('4ccb931287cc46a574e976243c8d2b948e5e43c72361c5739cc5dfcf8f6e1349',X'322063617264');
INSERT INTO "mayfly_blobs" VALUES('76687df483fc14211096a0145051f5a4b022114d49d7397fbbabf8aedb718352',X'312063617264');
INSERT INTO "mayfly_blobs" VALUES('8431c99b25ba68c0f7c5ca445a6f592fae76499fe3ee08e4b5d921e937a157a2',X'3220736F75726365');
INSERT INTO "mayfly_blobs" VALUES('a9cbbf15b7936167899da5b2533225f66d95bdfe57f110f2cdda30fbe3ae5035',X'31207465737473');
INSERT INTO "mayfly_blobs" VALUES('cff521c5f2d50a0b024b3fcc68f7ece850fec56150566f3d7dbd7d4a26560d2e',X'3120736F75726365');
CREATE TABLE mayfly_cache (
    key TEXT NOT NULL PRIMARY KEY,
    value TEXT NOT NULL,
    made REAL NOT NULL,
    used REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE mayfly_events (
    id INTEGER PRIMARY KEY,
    at TEXT NOT NULL CHECK (typeof(at) = 'text'),
    writer TEXT NOT NULL CHECK (typeof(writer) = 'text'),
    kind TEXT NOT NULL CHECK (typeof(kind) = 'text'),
    subject TEXT NOT NULL CHECK (typeof(subject) = 'text'),
    payload TEXT NOT NULL CHECK (typeof(payload) = 'text')
);
INSERT INTO "mayfly_events" VALUES(1,'2026-11-19T02:08:57.543956+00:00','vm:29109:ac2276aa','store.migrated','store','{"name":"ledger","number":1}');
INSERT INTO "mayfly_events" VALUES(2,'2026-11-19T02:08:57.561980+00:00','vm:29109:ac2276aa','store.migrated','store','{"name":"cache","number":2}');
INSERT INTO "mayfly_events" VALUES(3,'2026-11-19T02:08:57.568182+00:00','vm:29109:ac2276aa','store.migrated','store','{"name":"newest","number":3}');
INSERT INTO "mayfly_events" VALUES(4,'2026-11-19T02:08:57.580032+00:00','vm:29109:ac2276aa','store.migrated','store','{"name":"runs","number":4}');
INSERT INTO "mayfly_events" VALUES(5,'2026-11-19T02:08:57.597143+00:00','vm:29109:ac2276aa','store.migrated','store','{"name":"tools","number":5}');
INSERT INTO "mayfly_events" VALUES(6,'2026-11-19T02:08:57.615138+00:00','vm:29109:ac2276aa','store.migrated','store','{"name":"money","number":6}');
INSERT INTO "mayfly_events" VALUES(7,'2026-11-19T02:08:57.624785+00:00','vm:29109:ac2276aa','run.began','r-1','{"depth":0,"examples":0,"grants":[],"input":"nothing","intent":"count","model":null,"strategy":"","tier":"memo"}');
INSERT INTO "mayfly_events" VALUES(8,'2026-11-19T02:08:57.624785+00:00','vm:29109:ac2276aa','run.collapsed','r-1','{"account":null,"code":"CONFLICT","depth":0,"ground_value":null,"input_tokens":3,"intent":"count","model_calls":2,"money":0.25,"output_tokens":4,"question":null,"reading":null,"readings":[],"reason":"no","seconds":1.5,"status":"collapsed"}');
INSERT INTO "mayfly_events" VALUES(9,'2026-11-19T02:08:57.637207+00:00','vm:29109:ac2276aa','run.claimed','r-2','{"generation":1}');
INSERT INTO "mayfly_events" VALUES(10,'2026-11-19T02:08:57.645155+00:00','vm:29109:ac2276aa','run.began','r-2','{"depth":0,"examples":0,"grants":[],"input":"nothing","intent":"count","model":null,"strategy":"","tier":"memo"}');
INSERT INTO "mayfly_events" VALUES(11,'2026-11-19T02:08:57.645155+00:00','vm:29109:ac2276aa','run.resolved','r-2','{"account":null,"cached":false,"input_tokens":3,"model_calls":2,"money":0.25,"output_tokens":4,"reading":null,"reason":"done","seconds":1.5,"source_hash":null}');
INSERT INTO "mayfly_events" VALUES(12,'2026-11-19T02:08:57.662244+00:00','vm:29109:ac2276aa','run.began','r-3','{"depth":0,"examples":0,"grants":[],"input":"nothing","intent":"count","model":null,"strategy":"","tier":"memo"}');
INSERT INTO "mayfly_events" VALUES(13,'2026-11-19T02:08:57.704622+00:00','vm:29109:ac2276aa','tool.written','tool:roman','{"before":0,"by":"me","card_blob":"76687df483fc14211096a0145051f5a4b022114d49d7397fbbabf8aedb718352","head":{"summary":"version 1"},"seal":"x","shape":"s","size":8,"source_blob":"cff521c5f2d50a0b024b3fcc68f7ece850fec56150566f3d7dbd7d4a26560d2e","tests_blob":"a9cbbf15b7936167899da5b2533225f66d95bdfe57f110f2cdda30fbe3ae5035","version":1,"words":["roman"]}');
INSERT INTO "mayfly_events" VALUES(14,'2026-11-19T02:08:57.737197+00:00','vm:29109:ac2276aa','tool.written','tool:roman','{"before":1,"by":"me","card_blob":"4ccb931287cc46a574e976243c8d2b948e5e43c72361c5739cc5dfcf8f6e1349","head":{"summary":"version 2"},"seal":"x","shape":"s","size":8,"source_blob":"8431c99b25ba68c0f7c5ca445a6f592fae76499fe3ee08e4b5d921e937a157a2","tests_blob":"321bb2f0b3b47a16a8d70f24ec6b70992c26cb88253e71c5ea9655ec96ca08c5","version":2,"words":["roman","numeral"]}');
INSERT INTO "mayfly_events" VALUES(15,'2026-11-19T02:08:57.753578+00:00','vm:29109:ac2276aa','tool.served','tool:roman','{"before":2,"by":"me","version":1,"why":""}');
INSERT INTO "mayfly_events" VALUES(16,'2026-11-19T02:08:57.759917+00:00','vm:29109:ac2276aa','tool.returned','tool:roman','{"error":"","key":"k","milliseconds":1.0,"status":"error","value":null,"version":1,"whole_blob":""}');
INSERT INTO "mayfly_events" VALUES(17,'2026-11-19T02:08:57.772962+00:00','vm:29109:ac2276aa','tool.written','tool:gone','{"before":0,"by":"me","card_blob":"76687df483fc14211096a0145051f5a4b022114d49d7397fbbabf8aedb718352","head":{"summary":"version 1"},"seal":"x","shape":"s","size":8,"source_blob":"cff521c5f2d50a0b024b3fcc68f7ece850fec56150566f3d7dbd7d4a26560d2e","tests_blob":"a9cbbf15b7936167899da5b2533225f66d95bdfe57f110f2cdda30fbe3ae5035","version":1,"words":[]}');
INSERT INTO "mayfly_events" VALUES(18,'2026-11-19T02:08:57.787519+00:00','vm:29109:ac2276aa','tool.deleted','tool:gone','{"before":1,"by":"me"}');
INSERT INTO "mayfly_events" VALUES(19,'2026-11-19T02:08:57.795562+00:00','vm:29109:ac2276aa','tool.written','tool:old','{"before":0,"by":"me","card_blob":"76687df483fc14211096a0145051f5a4b022114d49d7397fbbabf8aedb718352","head":{"summary":"version 1"},"seal":"x","shape":"t","size":8,"source_blob":"cff521c5f2d50a0b024b3fcc68f7ece850fec56150566f3d7dbd7d4a26560d2e","tests_blob":"a9cbbf15b7936167899da5b2533225f66d95bdfe57f110f2cdda30fbe3ae5035","version":1,"words":["roman"]}');
INSERT INTO "mayfly_events" VALUES(20,'2026-11-19T02:08:57.808813+00:00','vm:29109:ac2276aa','tool.retired','tool:old','{"before":1,"days":9}');
INSERT INTO "mayfly_events" VALUES(21,'2026-11-19T02:08:57.816980+00:00','vm:29109:ac2276aa','strategy.named','strategy:momentum','{"note":"buys what rises"}');
INSERT INTO "mayfly_events" VALUES(22,'2026-11-19T02:08:57.833907+00:00','vm:29109:ac2276aa','payment.reserved','payment:p-1','{"agent":"","asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","before":0,"call":"call-1","decimals":6,"host":"127.0.0.1:4021","method":"POST","network":"eip155:84532","payee":"0xb2b2b2b2b2B2b2B2B2b2b2B2B2b2B2B2b2b2b2b2","payer":"0xA1A1a1a1A1A1A1A1A1a1a1a1a1a1A1A1a1A1a1a1","request":"e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5","run":"","strategy":"momentum","tool":"","units":10000,"url":"http://127.0.0.1:4021/weather"}');
INSERT INTO "mayfly_events" VALUES(23,'2026-11-19T02:08:57.843115+00:00','vm:29109:ac2276aa','payment.reserved','payment:p-2','{"agent":"","asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","before":0,"call":"call-2","decimals":6,"host":"127.0.0.1:4021","method":"POST","network":"eip155:84532","payee":"0xb2b2b2b2b2B2b2B2B2b2b2B2B2b2B2B2b2b2b2b2","payer":"0xA1A1a1a1A1A1A1A1A1a1a1a1a1a1A1A1a1A1a1a1","request":"e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5","run":"","strategy":"momentum","tool":"","units":10000,"url":"http://127.0.0.1:4021/weather"}');
INSERT INTO "mayfly_events" VALUES(24,'2026-11-19T02:08:57.860632+00:00','vm:29109:ac2276aa','payment.sent','payment:p-2','{"before":1,"nonce":"c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3","payload_blob":"1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a","valid_after":1,"valid_before":600}');
INSERT INTO "mayfly_events" VALUES(25,'2026-11-19T02:08:57.874263+00:00','vm:29109:ac2276aa','payment.reserved','payment:p-3','{"agent":"","asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","before":0,"call":"call-3","decimals":6,"host":"127.0.0.1:4021","method":"POST","network":"eip155:84532","payee":"0xb2b2b2b2b2B2b2B2B2b2b2B2B2b2B2B2b2b2b2b2","payer":"0xA1A1a1a1A1A1A1A1A1a1a1a1a1a1A1A1a1A1a1a1","request":"e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5","run":"","strategy":"momentum","tool":"","units":10000,"url":"http://127.0.0.1:4021/weather"}');
INSERT INTO "mayfly_events" VALUES(26,'2026-11-19T02:08:57.879983+00:00','vm:29109:ac2276aa','payment.sent','payment:p-3','{"before":1,"nonce":"c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3","payload_blob":"1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a","valid_after":1,"valid_before":600}');
INSERT INTO "mayfly_events" VALUES(27,'2026-11-19T02:08:57.894752+00:00','vm:29109:ac2276aa','payment.unknown','payment:p-3','{"answer_blob":"","before":2,"reason":"no answer"}');
INSERT INTO "mayfly_events" VALUES(28,'2026-11-19T02:08:57.905627+00:00','vm:29109:ac2276aa','payment.reserved','payment:p-4','{"agent":"","asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","before":0,"call":"call-4","decimals":6,"host":"127.0.0.1:4021","method":"POST","network":"eip155:84532","payee":"0xb2b2b2b2b2B2b2B2B2b2b2B2B2b2B2B2b2b2b2b2","payer":"0xA1A1a1a1A1A1A1A1A1a1a1a1a1a1A1A1a1A1a1a1","request":"e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5","run":"","strategy":"momentum","tool":"","units":10000,"url":"http://127.0.0.1:4021/weather"}');
INSERT INTO "mayfly_events" VALUES(29,'2026-11-19T02:08:57.916253+00:00','vm:29109:ac2276aa','payment.sent','payment:p-4','{"before":1,"nonce":"c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3","payload_blob":"1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a","valid_after":1,"valid_before":600}');
INSERT INTO "mayfly_events" VALUES(30,'2026-11-19T02:08:57.925052+00:00','vm:29109:ac2276aa','payment.settled','payment:p-4','{"answer_blob":"","before":2,"block":7,"transaction":"d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4"}');
INSERT INTO "mayfly_events" VALUES(31,'2026-11-19T02:08:57.936429+00:00','vm:29109:ac2276aa','payment.reserved','payment:p-5','{"agent":"","asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","before":0,"call":"call-5","decimals":6,"host":"127.0.0.1:4021","method":"POST","network":"eip155:84532","payee":"0xb2b2b2b2b2B2b2B2B2b2b2B2B2b2B2B2b2b2b2b2","payer":"0xA1A1a1a1A1A1A1A1A1a1a1a1a1a1A1A1a1A1a1a1","request":"e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5","run":"","strategy":"momentum","tool":"","units":10000,"url":"http://127.0.0.1:4021/weather"}');
INSERT INTO "mayfly_events" VALUES(32,'2026-11-19T02:08:57.948976+00:00','vm:29109:ac2276aa','payment.sent','payment:p-5','{"before":1,"nonce":"c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3","payload_blob":"1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a","valid_after":1,"valid_before":600}');
INSERT INTO "mayfly_events" VALUES(33,'2026-11-19T02:08:57.951889+00:00','vm:29109:ac2276aa','payment.settled','payment:p-5','{"answer_blob":"","before":2,"block":7,"transaction":"d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4"}');
INSERT INTO "mayfly_events" VALUES(34,'2026-11-19T02:08:57.963473+00:00','vm:29109:ac2276aa','payment.delivered','payment:p-5','{"answer_blob":"0db52f4076c082518412afd3dd3576e2cb0c63703fd7fed5e23ade60efef31d9","before":3}');
INSERT INTO "mayfly_events" VALUES(35,'2026-11-19T02:08:57.972424+00:00','vm:29109:ac2276aa','payment.reserved','payment:p-6','{"agent":"","asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","before":0,"call":"call-6","decimals":6,"host":"127.0.0.1:4021","method":"POST","network":"eip155:84532","payee":"0xb2b2b2b2b2B2b2B2B2b2b2B2B2b2B2B2b2b2b2b2","payer":"0xA1A1a1a1A1A1A1A1A1a1a1a1a1a1A1A1a1A1a1a1","request":"e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5","run":"","strategy":"momentum","tool":"","units":10000,"url":"http://127.0.0.1:4021/weather"}');
INSERT INTO "mayfly_events" VALUES(36,'2026-11-19T02:08:57.986592+00:00','vm:29109:ac2276aa','payment.released','payment:p-6','{"before":1,"block":9,"reason":"expired"}');
INSERT INTO "mayfly_events" VALUES(37,'2026-11-19T02:08:57.996606+00:00','vm:29109:ac2276aa','payment.reserved','payment:p-7','{"agent":"","asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","before":0,"call":"call-7","decimals":6,"host":"127.0.0.1:4021","method":"POST","network":"eip155:84532","payee":"0xb2b2b2b2b2B2b2B2B2b2b2B2B2b2B2B2b2b2b2b2","payer":"0xA1A1a1a1A1A1A1A1A1a1a1a1a1a1A1A1a1A1a1a1","request":"e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5","run":"","strategy":"momentum","tool":"","units":10000,"url":"http://127.0.0.1:4021/weather"}');
INSERT INTO "mayfly_events" VALUES(38,'2026-11-19T02:08:58.006812+00:00','vm:29109:ac2276aa','payment.sent','payment:p-7','{"before":1,"nonce":"c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3","payload_blob":"1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a","valid_after":1,"valid_before":600}');
INSERT INTO "mayfly_events" VALUES(39,'2026-11-19T02:08:58.012255+00:00','vm:29109:ac2276aa','payment.disputed','payment:p-7','{"before":2,"block":7,"reason":"gone","transaction":"d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4"}');
INSERT INTO "mayfly_events" VALUES(40,'2026-11-19T02:08:58.020032+00:00','vm:29109:ac2276aa','strategy.named','strategy:shop','{"note":""}');
INSERT INTO "mayfly_events" VALUES(41,'2026-11-19T02:08:58.020032+00:00','vm:29109:ac2276aa','sale.claimed','sale:s-8','{"asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","before":0,"decimals":6,"lease":30,"network":"eip155:84532","nonce":"0000000000000000000000000000000000000000000000000000000000000008","payee":"0xb2b2b2b2b2B2b2B2B2b2b2B2B2b2B2B2b2b2b2b2","payer":"0xA1A1a1a1A1A1A1A1A1a1a1a1a1a1A1A1a1A1a1a1","payload_blob":"1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a","request":"f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6","strategy":"shop","tool":"roman","units":10000,"valid_before":600,"version":1}');
INSERT INTO "mayfly_events" VALUES(42,'2026-11-19T02:08:58.031584+00:00','vm:29109:ac2276aa','sale.claimed','sale:s-9','{"asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","before":0,"decimals":6,"lease":30,"network":"eip155:84532","nonce":"0000000000000000000000000000000000000000000000000000000000000009","payee":"0xb2b2b2b2b2B2b2B2B2b2b2B2B2b2B2B2b2b2b2b2","payer":"0xA1A1a1a1A1A1A1A1A1a1a1a1a1a1A1A1a1A1a1a1","payload_blob":"1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a","request":"f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6","strategy":"shop","tool":"roman","units":10000,"valid_before":600,"version":1}');
INSERT INTO "mayfly_events" VALUES(43,'2026-11-19T02:08:58.045255+00:00','vm:29109:ac2276aa','sale.answered','sale:s-9','{"answer_blob":"0db52f4076c082518412afd3dd3576e2cb0c63703fd7fed5e23ade60efef31d9","before":1}');
INSERT INTO "mayfly_events" VALUES(44,'2026-11-19T02:08:58.061370+00:00','vm:29109:ac2276aa','sale.claimed','sale:s-10','{"asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","before":0,"decimals":6,"lease":30,"network":"eip155:84532","nonce":"000000000000000000000000000000000000000000000000000000000000000a","payee":"0xb2b2b2b2b2B2b2B2B2b2b2B2B2b2B2B2b2b2b2b2","payer":"0xA1A1a1a1A1A1A1A1A1a1a1a1a1a1A1A1a1A1a1a1","payload_blob":"1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a","request":"f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6","strategy":"shop","tool":"roman","units":10000,"valid_before":600,"version":1}');
INSERT INTO "mayfly_events" VALUES(45,'2026-11-19T02:08:58.073785+00:00','vm:29109:ac2276aa','sale.answered','sale:s-10','{"answer_blob":"0db52f4076c082518412afd3dd3576e2cb0c63703fd7fed5e23ade60efef31d9","before":1}');
INSERT INTO "mayfly_events" VALUES(46,'2026-11-19T02:08:58.086980+00:00','vm:29109:ac2276aa','sale.settling','sale:s-10','{"before":2,"lease":90}');
INSERT INTO "mayfly_events" VALUES(47,'2026-11-19T02:08:58.098530+00:00','vm:29109:ac2276aa','sale.claimed','sale:s-11','{"asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","before":0,"decimals":6,"lease":30,"network":"eip155:84532","nonce":"000000000000000000000000000000000000000000000000000000000000000b","payee":"0xb2b2b2b2b2B2b2B2B2b2b2B2B2b2B2B2b2b2b2b2","payer":"0xA1A1a1a1A1A1A1A1A1a1a1a1a1a1A1A1a1A1a1a1","payload_blob":"1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a","request":"f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6","strategy":"shop","tool":"roman","units":10000,"valid_before":600,"version":1}');
INSERT INTO "mayfly_events" VALUES(48,'2026-11-19T02:08:58.111555+00:00','vm:29109:ac2276aa','sale.answered','sale:s-11','{"answer_blob":"0db52f4076c082518412afd3dd3576e2cb0c63703fd7fed5e23ade60efef31d9","before":1}');
INSERT INTO "mayfly_events" VALUES(49,'2026-11-19T02:08:58.125733+00:00','vm:29109:ac2276aa','sale.settling','sale:s-11','{"before":2,"lease":90}');
INSERT INTO "mayfly_events" VALUES(50,'2026-11-19T02:08:58.140930+00:00','vm:29109:ac2276aa','sale.settled','sale:s-11','{"before":3,"block":7,"gas":"21000","transaction":"d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4"}');
INSERT INTO "mayfly_events" VALUES(51,'2026-11-19T02:08:58.150119+00:00','vm:29109:ac2276aa','sale.claimed','sale:s-12','{"asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","before":0,"decimals":6,"lease":30,"network":"eip155:84532","nonce":"000000000000000000000000000000000000000000000000000000000000000c","payee":"0xb2b2b2b2b2B2b2B2B2b2b2B2B2b2B2B2b2b2b2b2","payer":"0xA1A1a1a1A1A1A1A1A1a1a1a1a1a1A1A1a1A1a1a1","payload_blob":"1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a","request":"f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6","strategy":"shop","tool":"roman","units":10000,"valid_before":600,"version":1}');
INSERT INTO "mayfly_events" VALUES(52,'2026-11-19T02:08:58.160934+00:00','vm:29109:ac2276aa','sale.failed','sale:s-12','{"before":1,"reason":"the tool failed"}');
INSERT INTO "mayfly_events" VALUES(53,'2026-11-19T02:08:58.181179+00:00','vm:29109:ac2276aa','sale.claimed','sale:s-13','{"asset":"0x036CbD53842c5426634e7929541eC2318f3dCF7e","before":0,"decimals":6,"lease":30,"network":"eip155:84532","nonce":"000000000000000000000000000000000000000000000000000000000000000d","payee":"0xb2b2b2b2b2B2b2B2B2b2b2B2B2b2B2B2b2b2b2b2","payer":"0xA1A1a1a1A1A1A1A1A1a1a1a1a1a1A1A1a1A1a1a1","payload_blob":"1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a","request":"f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6","strategy":"shop","tool":"roman","units":10000,"valid_before":600,"version":1}');
INSERT INTO "mayfly_events" VALUES(54,'2026-11-19T02:08:58.191491+00:00','vm:29109:ac2276aa','sale.answered','sale:s-13','{"answer_blob":"0db52f4076c082518412afd3dd3576e2cb0c63703fd7fed5e23ade60efef31d9","before":1}');
INSERT INTO "mayfly_events" VALUES(55,'2026-11-19T02:08:58.198188+00:00','vm:29109:ac2276aa','sale.lapsed','sale:s-13','{"before":2,"block":9,"gas":"","reason":"expired"}');
CREATE TABLE mayfly_links (
    last INTEGER PRIMARY KEY,
    first INTEGER NOT NULL,
    hash TEXT NOT NULL CHECK (typeof(hash) = 'text' AND length(hash) = 64)
);
INSERT INTO "mayfly_links" VALUES(4,1,'2e0bca7fd1b9f2e005c4a96e499363f4012adb2210f70fba794c73d398db3c3d');
INSERT INTO "mayfly_links" VALUES(5,5,'a45c5b359468e089fcd1de58f863765824cc472fbf6aa59249b254e8f83001b4');
INSERT INTO "mayfly_links" VALUES(6,6,'591367606524a641d0becd69d9d9ff780388bff3fd9a553663591d3e636212af');
INSERT INTO "mayfly_links" VALUES(8,7,'34bb3c6c5590e49b01c3818c0e50568ebc0ae278d610f2de88e94402b187df27');
INSERT INTO "mayfly_links" VALUES(9,9,'f6cdebc80e36ebde61829cad08c7078dcc0cef48cb7f8e1e0c69a7934fb9cb0d');
INSERT INTO "mayfly_links" VALUES(11,10,'6cf7f37f08aeb76980ebd295bc365135968b1020c1317d914120ccf4231f9a0d');
INSERT INTO "mayfly_links" VALUES(12,12,'f7ddcb1b682f89c4f17f4535a5d79861d27935301ca847c9b36a3781b34f6366');
INSERT INTO "mayfly_links" VALUES(13,13,'3f4adcd2f087306f1896dfe2b7d379758009cdcd27f3b7ddde698547abc4e8af');
INSERT INTO "mayfly_links" VALUES(14,14,'77f1c66304c2f74b6de80a21ae447917288e2f186256233db5009eabcc33dae0');
INSERT INTO "mayfly_links" VALUES(15,15,'94e06f634d319086e16bae2a43408abc34efbad96adc787e825cceed6cc5b744');
INSERT INTO "mayfly_links" VALUES(16,16,'0e29d90f8277a221ea6d967e3eb79053b99faee45529f8f28827326c1a80166e');
INSERT INTO "mayfly_links" VALUES(17,17,'628eecee0ede035212746ebdc26c49bf9bf26a4abbda970c5314cea9a1c3b686');
INSERT INTO "mayfly_links" VALUES(18,18,'a883c9ac628cfeb453acaeab2895cf9e8b81071cd9ea84d96ea8b4bb432c208f');
INSERT INTO "mayfly_links" VALUES(19,19,'8b0feb8ba5d7b3c875844802dc1bdf299ce955cd061b9325ddc4a4357ef860ec');
INSERT INTO "mayfly_links" VALUES(20,20,'1e3b457096d62217658fdd5c0aaf4067794f9bd77c2cd664d5d52be13cdfcad5');
INSERT INTO "mayfly_links" VALUES(21,21,'b0bece78b5989b724575e4d29e168134c2fe3e967e92ed71f0244d27ee35c037');
INSERT INTO "mayfly_links" VALUES(22,22,'b6d024de7b03cc937b397261febd0d79d959ed815b64a2d92147e70b6ee3c07f');
INSERT INTO "mayfly_links" VALUES(23,23,'beff8a37846285e45ece3748d344977c5cff6ce5cd442c4316d6bc714b1237d4');
INSERT INTO "mayfly_links" VALUES(24,24,'31788663f6f495a15c45a1f7b351b40a83f6ddd7257535b6985fd14406e71f02');
INSERT INTO "mayfly_links" VALUES(25,25,'d6cdd3523c50c01d6ab0db8854dfc76613a30abefb25d6273d377f21f2ec249c');
INSERT INTO "mayfly_links" VALUES(26,26,'c290f861e68a3ee36f9642cfc27ae345011df8a316496f24e9eeece898e89022');
INSERT INTO "mayfly_links" VALUES(27,27,'8958470e470eae8917285870f979ae9d50062b22f92a3e5b233e32f43a7ce1d8');
INSERT INTO "mayfly_links" VALUES(28,28,'b8c0aaa2f737a4e6c30912f990a6835d6cccac01b8ca36c202db48070f95a273');
INSERT INTO "mayfly_links" VALUES(29,29,'e32324651692bfb67e3e680163fd6e913e046df81faf0d156a3a3a36e53dc171');
INSERT INTO "mayfly_links" VALUES(30,30,'4b132ee02db2d3eb23e92c892af2366c9fd5701da8a0756c72d828bd2fcaf342');
INSERT INTO "mayfly_links" VALUES(31,31,'5278987f01a302facae27decb9f07ed61118d9dfd39a96dc0db61d38cf9677d7');
INSERT INTO "mayfly_links" VALUES(32,32,'6c8b18730a159d543ddc0198c1ff01e012a7f3af931ab0372dee52d266dfb489');
INSERT INTO "mayfly_links" VALUES(33,33,'950c876d1620e51f0e30ca054f3f3d9fd593801775454e081fb3a231b773acf6');
INSERT INTO "mayfly_links" VALUES(34,34,'da00a6897b1b65fb056319077438b0f0d6c549c82362b6b2e1cd55be908162c0');
INSERT INTO "mayfly_links" VALUES(35,35,'a06af7751c3482bb9e900a4d85d6ae38d29ff5e0b95b6d526f0cac9512bd3962');
INSERT INTO "mayfly_links" VALUES(36,36,'27f9f2dcc4ca2402e118e7ee239dd6a8e191039d949158dadbd69aaac46d8ae1');
INSERT INTO "mayfly_links" VALUES(37,37,'202e263d84d153e2247f00e06cc0015695f981cf620075b8962ba6bc3ffa4d5a');
INSERT INTO "mayfly_links" VALUES(38,38,'d930fb2e6ebe35da802693f329fcc2b2d8d2d8359f8067349d77d5a0ff5bddde');
INSERT INTO "mayfly_links" VALUES(39,39,'e30fe433b34b782e2dbd09df9b3a2ea7a6bd066c9f552b31d4046a933c1a3b25');
INSERT INTO "mayfly_links" VALUES(41,40,'27ebb765be45a2c7da0460cab530e61154b5fa18ead391138b95054de791748a');
INSERT INTO "mayfly_links" VALUES(42,42,'bebfca12c6d483400e08848aba93a2b3dd9603a9749297b87f8f3a7afa9110c2');
INSERT INTO "mayfly_links" VALUES(43,43,'f635f3453e8b42722939e42ee09222a20e1ca5a7be37fbfd602d4d919ac821fd');
INSERT INTO "mayfly_links" VALUES(44,44,'b66fe1207b1ec104eb9872d341e1fb0eba0fbe62bf29e5b71335236b5e2a7098');
INSERT INTO "mayfly_links" VALUES(45,45,'7b7a69333891dbe15b545b1d62b3bcd0076a027ded4f0656657656dc4a64ca11');
INSERT INTO "mayfly_links" VALUES(46,46,'a392266b024b6fcfa5ec2f99483664644d702a559bb297350b25d0e6ba809005');
INSERT INTO "mayfly_links" VALUES(47,47,'0085c9b433015a135f99259500a973d260228267f1f59b25e73bf8eae7ca0df3');
INSERT INTO "mayfly_links" VALUES(48,48,'160557fe637daf774f26830bfcb7b34449c56437338396187590e5080e745492');
INSERT INTO "mayfly_links" VALUES(49,49,'ab2988af02f739da68b27111cb73d6bdf6f14b3666422e3a746d8ae29aedd96b');
INSERT INTO "mayfly_links" VALUES(50,50,'ecec1009ef9f652a30bccd53a8687d4c74145e6ac6bdb026c46febddb17924c5');
INSERT INTO "mayfly_links" VALUES(51,51,'6e3cfec8eca2d46852d7819b4ea0d66ec2d795265e50ce44c1ee69301b988c28');
INSERT INTO "mayfly_links" VALUES(52,52,'b0345029186990cf9b17ce8510f7114e5e7f0e039c56a9b52826ccbf7120e38f');
INSERT INTO "mayfly_links" VALUES(53,53,'9004bffbe7b35fce2c1b83d5e3ed9f12e975b24fa83dc47ad4a3303cc75e57a8');
INSERT INTO "mayfly_links" VALUES(54,54,'7c2d254c1fc468092129ce9c59dc910d57a9c042ac898b39d453513d15f96e6a');
INSERT INTO "mayfly_links" VALUES(55,55,'11c652f671c3206d978621755227d792ecf797744ee7e96065f6057976c1f680');
CREATE TABLE mayfly_migrations (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL CHECK (typeof(name) = 'text'),
    at TEXT NOT NULL CHECK (typeof(at) = 'text')
);
INSERT INTO "mayfly_migrations" VALUES(1,'ledger','2026-11-19T02:08:57.543620+00:00');
INSERT INTO "mayfly_migrations" VALUES(2,'cache','2026-11-19T02:08:57.561726+00:00');
INSERT INTO "mayfly_migrations" VALUES(3,'newest','2026-11-19T02:08:57.567926+00:00');
INSERT INTO "mayfly_migrations" VALUES(4,'runs','2026-11-19T02:08:57.579740+00:00');
INSERT INTO "mayfly_migrations" VALUES(5,'tools','2026-11-19T02:08:57.593034+00:00');
INSERT INTO "mayfly_migrations" VALUES(6,'money','2026-11-19T02:08:57.614878+00:00');
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
INSERT INTO "mayfly_payments" VALUES('p-1','call-1','http://127.0.0.1:4021/weather','127.0.0.1:4021','POST','e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5','eip155:84532','0x036cbd53842c5426634e7929541ec2318f3dcf7e','0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2','0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1',10000,6,0,0,'','','reserved',1,'',0,'','','','','','momentum','2026-11-19T02:08:57.833907+00:00','2026-11-19T02:08:57.833907+00:00');
INSERT INTO "mayfly_payments" VALUES('p-2','call-2','http://127.0.0.1:4021/weather','127.0.0.1:4021','POST','e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5','eip155:84532','0x036cbd53842c5426634e7929541ec2318f3dcf7e','0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2','0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1',10000,6,1,600,'0xc3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3','1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a','sent',2,'',0,'','','','','','momentum','2026-11-19T02:08:57.843115+00:00','2026-11-19T02:08:57.860632+00:00');
INSERT INTO "mayfly_payments" VALUES('p-3','call-3','http://127.0.0.1:4021/weather','127.0.0.1:4021','POST','e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5','eip155:84532','0x036cbd53842c5426634e7929541ec2318f3dcf7e','0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2','0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1',10000,6,1,600,'0xc3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3','1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a','unknown',3,'',0,'','no answer','','','','momentum','2026-11-19T02:08:57.874263+00:00','2026-11-19T02:08:57.894752+00:00');
INSERT INTO "mayfly_payments" VALUES('p-4','call-4','http://127.0.0.1:4021/weather','127.0.0.1:4021','POST','e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5','eip155:84532','0x036cbd53842c5426634e7929541ec2318f3dcf7e','0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2','0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1',10000,6,1,600,'0xc3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3','1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a','settled',3,'0xd4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4',7,'','','','','','momentum','2026-11-19T02:08:57.905627+00:00','2026-11-19T02:08:57.925052+00:00');
INSERT INTO "mayfly_payments" VALUES('p-5','call-5','http://127.0.0.1:4021/weather','127.0.0.1:4021','POST','e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5','eip155:84532','0x036cbd53842c5426634e7929541ec2318f3dcf7e','0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2','0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1',10000,6,1,600,'0xc3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3','1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a','delivered',4,'0xd4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4',7,'0db52f4076c082518412afd3dd3576e2cb0c63703fd7fed5e23ade60efef31d9','','','','','momentum','2026-11-19T02:08:57.936429+00:00','2026-11-19T02:08:57.963473+00:00');
INSERT INTO "mayfly_payments" VALUES('p-6','call-6','http://127.0.0.1:4021/weather','127.0.0.1:4021','POST','e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5','eip155:84532','0x036cbd53842c5426634e7929541ec2318f3dcf7e','0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2','0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1',10000,6,0,0,'','','released',2,'',0,'','expired','','','','momentum','2026-11-19T02:08:57.972424+00:00','2026-11-19T02:08:57.986592+00:00');
INSERT INTO "mayfly_payments" VALUES('p-7','call-7','http://127.0.0.1:4021/weather','127.0.0.1:4021','POST','e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5','eip155:84532','0x036cbd53842c5426634e7929541ec2318f3dcf7e','0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2','0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1',10000,6,1,600,'0xc3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3c3','1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a','disputed',3,'0xd4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4',7,'','gone','','','','momentum','2026-11-19T02:08:57.996606+00:00','2026-11-19T02:08:58.012255+00:00');
CREATE TABLE mayfly_runs (
    id TEXT NOT NULL PRIMARY KEY,
    began INTEGER NOT NULL,
    at TEXT NOT NULL,
    intent TEXT NOT NULL,
    status TEXT NOT NULL,
    cancelled INTEGER NOT NULL,
    owner TEXT NOT NULL,
    generation INTEGER NOT NULL,
    nodes INTEGER NOT NULL,
    resolved INTEGER NOT NULL,
    collapsed INTEGER NOT NULL,
    failed INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    ended INTEGER NOT NULL,
    ended_at TEXT NOT NULL,
    code TEXT NOT NULL,
    cached INTEGER NOT NULL,
    seconds REAL NOT NULL,
    model_calls INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    micros INTEGER NOT NULL,
    leaf_model_calls INTEGER NOT NULL,
    leaf_input_tokens INTEGER NOT NULL,
    leaf_output_tokens INTEGER NOT NULL,
    leaf_micros INTEGER NOT NULL,
    compiled INTEGER NOT NULL,
    lines INTEGER NOT NULL,
    dead INTEGER NOT NULL
);
INSERT INTO "mayfly_runs" VALUES('r-1',7,'2026-11-19T02:08:57.624785+00:00','count','collapsed',0,'',0,0,0,0,0,0,8,'2026-11-19T02:08:57.624785+00:00','CONFLICT',0,1.5,2,3,4,250000,0,0,0,0,0,0,0);
INSERT INTO "mayfly_runs" VALUES('r-2',10,'2026-11-19T02:08:57.645155+00:00','count','resolved',0,'vm:29109:ac2276aa',1,0,0,0,0,0,11,'2026-11-19T02:08:57.645155+00:00','',0,1.5,2,3,4,250000,0,0,0,0,0,0,0);
INSERT INTO "mayfly_runs" VALUES('r-3',12,'2026-11-19T02:08:57.662244+00:00','count','open',0,'',0,0,0,0,0,0,0,'','',0,0.0,0,0,0,0,0,0,0,0,0,0,0);
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
INSERT INTO "mayfly_sales" VALUES('s-10','eip155:84532','0x036cbd53842c5426634e7929541ec2318f3dcf7e','0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1','0x000000000000000000000000000000000000000000000000000000000000000a','f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6','roman',1,10000,6,'0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2',600,'1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a','settling',3,90,'0db52f4076c082518412afd3dd3576e2cb0c63703fd7fed5e23ade60efef31d9','',0,'','','shop','2026-11-19T02:08:58.061370+00:00','2026-11-19T02:08:58.086980+00:00');
INSERT INTO "mayfly_sales" VALUES('s-11','eip155:84532','0x036cbd53842c5426634e7929541ec2318f3dcf7e','0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1','0x000000000000000000000000000000000000000000000000000000000000000b','f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6','roman',1,10000,6,'0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2',600,'1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a','settled',4,90,'0db52f4076c082518412afd3dd3576e2cb0c63703fd7fed5e23ade60efef31d9','0xd4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4d4',7,'21000','','shop','2026-11-19T02:08:58.098530+00:00','2026-11-19T02:08:58.140930+00:00');
INSERT INTO "mayfly_sales" VALUES('s-12','eip155:84532','0x036cbd53842c5426634e7929541ec2318f3dcf7e','0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1','0x000000000000000000000000000000000000000000000000000000000000000c','f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6','roman',1,10000,6,'0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2',600,'1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a','failed',2,30,'','',0,'','the tool failed','shop','2026-11-19T02:08:58.150119+00:00','2026-11-19T02:08:58.160934+00:00');
INSERT INTO "mayfly_sales" VALUES('s-13','eip155:84532','0x036cbd53842c5426634e7929541ec2318f3dcf7e','0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1','0x000000000000000000000000000000000000000000000000000000000000000d','f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6','roman',1,10000,6,'0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2',600,'1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a','lapsed',3,30,'0db52f4076c082518412afd3dd3576e2cb0c63703fd7fed5e23ade60efef31d9','',9,'','expired','shop','2026-11-19T02:08:58.181179+00:00','2026-11-19T02:08:58.198188+00:00');
INSERT INTO "mayfly_sales" VALUES('s-8','eip155:84532','0x036cbd53842c5426634e7929541ec2318f3dcf7e','0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1','0x0000000000000000000000000000000000000000000000000000000000000008','f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6','roman',1,10000,6,'0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2',600,'1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a','claimed',1,30,'','',0,'','','shop','2026-11-19T02:08:58.020032+00:00','2026-11-19T02:08:58.020032+00:00');
INSERT INTO "mayfly_sales" VALUES('s-9','eip155:84532','0x036cbd53842c5426634e7929541ec2318f3dcf7e','0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1','0x0000000000000000000000000000000000000000000000000000000000000009','f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6f6','roman',1,10000,6,'0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2',600,'1e0584a25d9f43bf5cbd0aec01eb1af2220ed085b4e7f1837b0d89958cae353a','answered',2,30,'0db52f4076c082518412afd3dd3576e2cb0c63703fd7fed5e23ade60efef31d9','',0,'','','shop','2026-11-19T02:08:58.031584+00:00','2026-11-19T02:08:58.045255+00:00');
CREATE TABLE mayfly_tool_versions (
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    event INTEGER NOT NULL,
    at TEXT NOT NULL,
    source TEXT NOT NULL,
    tests TEXT NOT NULL,
    card TEXT NOT NULL,
    size INTEGER NOT NULL,
    shape TEXT NOT NULL,
    head TEXT NOT NULL,
    seal TEXT NOT NULL,
    PRIMARY KEY (name, version)
);
INSERT INTO "mayfly_tool_versions" VALUES('roman',1,13,'2026-11-19T02:08:57.704622+00:00','cff521c5f2d50a0b024b3fcc68f7ece850fec56150566f3d7dbd7d4a26560d2e','a9cbbf15b7936167899da5b2533225f66d95bdfe57f110f2cdda30fbe3ae5035','76687df483fc14211096a0145051f5a4b022114d49d7397fbbabf8aedb718352',8,'s','{"summary":"version 1"}','x');
INSERT INTO "mayfly_tool_versions" VALUES('roman',2,14,'2026-11-19T02:08:57.737197+00:00','8431c99b25ba68c0f7c5ca445a6f592fae76499fe3ee08e4b5d921e937a157a2','321bb2f0b3b47a16a8d70f24ec6b70992c26cb88253e71c5ea9655ec96ca08c5','4ccb931287cc46a574e976243c8d2b948e5e43c72361c5739cc5dfcf8f6e1349',8,'s','{"summary":"version 2"}','x');
INSERT INTO "mayfly_tool_versions" VALUES('gone',1,17,'2026-11-19T02:08:57.772962+00:00','cff521c5f2d50a0b024b3fcc68f7ece850fec56150566f3d7dbd7d4a26560d2e','a9cbbf15b7936167899da5b2533225f66d95bdfe57f110f2cdda30fbe3ae5035','76687df483fc14211096a0145051f5a4b022114d49d7397fbbabf8aedb718352',8,'s','{"summary":"version 1"}','x');
INSERT INTO "mayfly_tool_versions" VALUES('old',1,19,'2026-11-19T02:08:57.795562+00:00','cff521c5f2d50a0b024b3fcc68f7ece850fec56150566f3d7dbd7d4a26560d2e','a9cbbf15b7936167899da5b2533225f66d95bdfe57f110f2cdda30fbe3ae5035','76687df483fc14211096a0145051f5a4b022114d49d7397fbbabf8aedb718352',8,'t','{"summary":"version 1"}','x');
CREATE TABLE mayfly_tool_words (
    word TEXT NOT NULL,
    name TEXT NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (word, name, version)
) WITHOUT ROWID;
INSERT INTO "mayfly_tool_words" VALUES('numeral','roman',2);
INSERT INTO "mayfly_tool_words" VALUES('roman','old',1);
INSERT INTO "mayfly_tool_words" VALUES('roman','roman',1);
INSERT INTO "mayfly_tool_words" VALUES('roman','roman',2);
CREATE TABLE mayfly_tools (
    name TEXT NOT NULL PRIMARY KEY,
    version INTEGER NOT NULL,
    newest INTEGER NOT NULL,
    state TEXT NOT NULL,
    changed INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    used TEXT NOT NULL
);
INSERT INTO "mayfly_tools" VALUES('roman',1,2,'serving',15,1,1,'2026-11-19T02:08:57.759917+00:00');
INSERT INTO "mayfly_tools" VALUES('gone',0,1,'deleted',18,0,0,'2026-11-19T02:08:57.772962+00:00');
INSERT INTO "mayfly_tools" VALUES('old',1,1,'retired',20,0,0,'2026-11-19T02:08:57.795562+00:00');
CREATE TABLE strategies (
    name TEXT NOT NULL PRIMARY KEY CHECK (typeof(name) = 'text' AND name <> ''),
    note TEXT NOT NULL CHECK (typeof(note) = 'text'),
    at TEXT NOT NULL CHECK (typeof(at) = 'text')
) WITHOUT ROWID;
INSERT INTO "strategies" VALUES('momentum','buys what rises','2026-11-19T02:08:57.816980+00:00');
INSERT INTO "strategies" VALUES('shop','','2026-11-19T02:08:58.020032+00:00');
CREATE INDEX mayfly_events_kind ON mayfly_events (kind, id);
CREATE INDEX mayfly_events_subject ON mayfly_events (subject, id);
CREATE TRIGGER mayfly_migrations_insert BEFORE INSERT ON mayfly_migrations
WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM mayfly_migrations)
BEGIN
    SELECT RAISE(ABORT, 'mayfly_migrations is append-only: a row takes the next id');
END;
CREATE TRIGGER mayfly_migrations_update BEFORE UPDATE ON mayfly_migrations
BEGIN
    SELECT RAISE(ABORT, 'mayfly_migrations is append-only: UPDATE refused');
END;
CREATE TRIGGER mayfly_migrations_delete BEFORE DELETE ON mayfly_migrations
BEGIN
    SELECT RAISE(ABORT, 'mayfly_migrations is append-only: DELETE refused');
END;
CREATE TRIGGER mayfly_events_insert BEFORE INSERT ON mayfly_events
WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM mayfly_events)
BEGIN
    SELECT RAISE(ABORT, 'mayfly_events is append-only: a row takes the next id');
END;
CREATE TRIGGER mayfly_events_update BEFORE UPDATE ON mayfly_events
BEGIN
    SELECT RAISE(ABORT, 'mayfly_events is append-only: UPDATE refused');
END;
CREATE TRIGGER mayfly_events_delete BEFORE DELETE ON mayfly_events
BEGIN
    SELECT RAISE(ABORT, 'mayfly_events is append-only: DELETE refused');
END;
CREATE TRIGGER mayfly_blobs_insert BEFORE INSERT ON mayfly_blobs
WHEN EXISTS (SELECT 1 FROM mayfly_blobs WHERE hash = NEW.hash)
BEGIN
    SELECT RAISE(ABORT, 'mayfly_blobs is append-only: the hash is taken');
END;
CREATE TRIGGER mayfly_blobs_update BEFORE UPDATE ON mayfly_blobs
BEGIN
    SELECT RAISE(ABORT, 'mayfly_blobs is append-only: UPDATE refused');
END;
CREATE TRIGGER mayfly_blobs_delete BEFORE DELETE ON mayfly_blobs
BEGIN
    SELECT RAISE(ABORT, 'mayfly_blobs is append-only: DELETE refused');
END;
CREATE INDEX mayfly_cache_used ON mayfly_cache (used);
CREATE INDEX mayfly_events_newest ON mayfly_events (subject, kind, id);
CREATE INDEX mayfly_runs_began ON mayfly_runs (began);
CREATE INDEX mayfly_runs_status ON mayfly_runs (status, began);
CREATE TRIGGER mayfly_links_insert BEFORE INSERT ON mayfly_links
WHEN NEW.first IS NULL OR NEW.last IS NULL OR NEW.last < NEW.first
    OR NEW.first <= (SELECT coalesce(max(last), 0) FROM mayfly_links)
BEGIN
    SELECT RAISE(ABORT, 'mayfly_links is append-only: a link comes after the last one');
END;
CREATE TRIGGER mayfly_links_update BEFORE UPDATE ON mayfly_links
BEGIN
    SELECT RAISE(ABORT, 'mayfly_links is append-only: UPDATE refused');
END;
CREATE TRIGGER mayfly_links_delete BEFORE DELETE ON mayfly_links
BEGIN
    SELECT RAISE(ABORT, 'mayfly_links is append-only: DELETE refused');
END;
CREATE TRIGGER mayfly_archives_insert BEFORE INSERT ON mayfly_archives
WHEN NEW.id IS NOT (SELECT coalesce(max(id), 0) + 1 FROM mayfly_archives)
BEGIN
    SELECT RAISE(ABORT, 'mayfly_archives is append-only: a row takes the next id');
END;
CREATE TRIGGER mayfly_archives_update BEFORE UPDATE ON mayfly_archives
BEGIN
    SELECT RAISE(ABORT, 'mayfly_archives is append-only: UPDATE refused');
END;
CREATE TRIGGER mayfly_archives_delete BEFORE DELETE ON mayfly_archives
BEGIN
    SELECT RAISE(ABORT, 'mayfly_archives is append-only: DELETE refused');
END;
CREATE INDEX mayfly_tools_state ON mayfly_tools (state, used);
CREATE INDEX mayfly_tool_versions_shape ON mayfly_tool_versions (shape);
CREATE UNIQUE INDEX mayfly_payments_live ON mayfly_payments (call) WHERE state <> 'released';
CREATE INDEX mayfly_payments_call ON mayfly_payments (call, at);
CREATE INDEX mayfly_payments_state ON mayfly_payments (state, id);
CREATE INDEX mayfly_payments_at ON mayfly_payments (network, asset, at);
CREATE INDEX mayfly_payments_agent ON mayfly_payments (agent, at);
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
COMMIT;
