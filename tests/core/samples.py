"""One text for every form in the list of secrets, and of it the part that must never be seen."""

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
HEX = "0123456789abcdef"

KEYS = {
    "AWS access key": ["AKIAABCDEFGHIJKLMNOP", "ASIAQRSTUVWXYZ012345"],
    "API key": ["sk-" + LETTERS, "sk-ant-api03-" + LETTERS],
    "model provider's key": ["gsk_" + LETTERS, "xai-" + LETTERS, "pplx-" + LETTERS, "r8_" + LETTERS],
    "payment key": ["sk_live_" + LETTERS, "rk_live_" + LETTERS],
    "payment test key": ["sk_test_" + LETTERS, "rk_test_" + LETTERS],
    "payment secret": ["whsec_" + LETTERS, "sq0csp-" + LETTERS],
    "GitHub token": ["ghp_" + LETTERS, "gho_" + LETTERS],
    "GitHub access token": ["github_pat_" + LETTERS],
    "GitLab token": ["glpat-" + LETTERS[:20], "gldt-" + LETTERS],
    "Google key": ["AIza" + LETTERS, "ya29." + LETTERS, "GOCSPX-" + LETTERS],
    "Slack token": ["xoxb-1234567890-abcdef"],
    "Slack app token": ["xapp-1-A0-" + LETTERS],
    "Slack webhook": ["hooks.slack.com/services/T00000/B00000/" + LETTERS],
    "Hugging Face token": ["hf_abcdefghijklmnopqrstuvwxyzabcdefgh", "api_org_" + LETTERS],
    "npm token": ["npm_" + LETTERS],
    "PyPI token": ["pypi-" + LETTERS + LETTERS],
    "RubyGems token": ["rubygems_" + HEX * 3],
    "Docker token": ["dckr_pat_" + LETTERS],
    "Twilio key": ["SK" + HEX * 2],
    "SendGrid key": ["SG." + LETTERS[:22] + "." + LETTERS],
    "Mailgun key": ["key-" + HEX * 2],
    "chat bot's token": ["123456789:AA" + LETTERS],
    "cloud provider's token": ["dop_v1_" + HEX * 4],
    "cloud account's token": ["sbp_" + HEX * 2 + HEX[:8]],
    "Databricks token": ["dapi" + HEX * 2],
    "vault token": ["hvs." + LETTERS],
    "shop token": ["shpat_" + HEX * 2],
    "tracker token": ["ATATT3" + LETTERS * 2, "lin_api_" + LETTERS, "NRAK-" + LETTERS.upper()],
    "storage key": ["AccountKey=" + LETTERS + LETTERS + "=="],
    "signed token": ["eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJlcw"],
    "age key": ["AGE-SECRET-KEY-1" + LETTERS.upper() * 2],
    "private key": [
        "-----BEGIN RSA PRIVATE KEY-----\n" + LETTERS,
        f"-----BEGIN PRIVATE KEY-----\n{LETTERS}\nab==\n-----END PRIVATE KEY-----",
    ],
}
# What code may not hold besides; in texts of others it is most often an example.
IN_CODE = {
    "password in an address": ["postgresql://ada:" + LETTERS[:12] + "@db.example.org", "redis://:" + LETTERS + "@host"],
}
# What may be secrets in data alone: a text, and the part of it that is the secret.
LIKELY = {
    "header": ("the header was Bearer tok3n-x", "tok3n-x"),
    "authorization": ("Authorization: Basic YWRhOmh1", "YWRhOmh1"),
    "password in an address": ("https://ada:p@ss/w0rd@example.org/x", "ss/w0rd"),
    "named": ('{"db_password": "hunter two two"}', "hunter two"),
    "option": ("login --password hunter22zz", "hunter22zz"),
}
# Every key in a text of its own.
TEXTS = [text for several in KEYS.values() for text in several]
SECRETS = [text for text in TEXTS if "\n" not in text]
