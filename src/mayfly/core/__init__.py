"""The contract types, errors and settings every other package stands on."""

from mayfly.core._addresses import address_kind
from mayfly.core._agent import Agent, Identity, agent
from mayfly.core._amounts import POOL_KINDS
from mayfly.core._canonical import canonical_json, content_hash
from mayfly.core._capability import Asked, Capability, Does, Effect, Invocation, NotSent, Retry
from mayfly.core._classes import missing_class, sorts_into_classes
from mayfly.core._contract import EDGES, Contract, Side
from mayfly.core._evm_address import address_key, with_checksums
from mayfly.core._face_sections import MarketSettings, McpSettings, TelemetrySettings, WebSettings
from mayfly.core._files import write_whole
from mayfly.core._hosts import Host, host_of
from mayfly.core._input_file import InputFile, parse_json, read_input_file, read_small_file
from mayfly.core._money import NO_MONEY, Money, units_text
from mayfly.core._order import BadLines, OnExhausted, Order, checked_examples
from mayfly.core._outcome import Cost, Offer, Outcome, UnresolvedError, ending_of
from mayfly.core._parse import check_tree, parse_python
from mayfly.core._pool import Hold, Pool, current_pool, limit, within
from mayfly.core._programs import find_program, missing_program
from mayfly.core._replace import replace
from mayfly.core._same import is_sequence, same
from mayfly.core._schema import mismatch
from mayfly.core._secret_fields import SecretFields
from mayfly.core._secret_paths import secret_path
from mayfly.core._secret_texts import secret_values
from mayfly.core._secret_values import (
    Hider,
    SecretValues,
    placeholder,
    placeholders_in,
    settings_values,
    texts_of,
    was_hidden,
    with_tag,
    without_secrets,
    without_secrets_in,
)
from mayfly.core._secrets import find_key, is_secret_name, looks_secret
from mayfly.core._sections import (
    ForgeSettings,
    GateSettings,
    LibrarySettings,
    ModelSettings,
    PersonaSettings,
    PolicySettings,
    PromiseSettings,
    PromotionSettings,
    SandboxSettings,
    SchemaSettings,
    SessionSettings,
    StagingSettings,
    StoreSettings,
    ToolSettings,
    WorkbenchSettings,
)
from mayfly.core._settings import Settings
from mayfly.core._shown import CONTROL, clipped, harmless, one_line, shown
from mayfly.core._stop import Stop
from mayfly.core._tables import shipped_table
from mayfly.core._types import (
    CHAOS_THRESHOLD,
    UNSET,
    Artifact,
    Budget,
    Example,
    Intent,
    OpenPoint,
    Proof,
    Strength,
    Tier,
    Unset,
    Witness,
    WitnessKind,
    rounds,
)
from mayfly.core.errors import (
    ConflictError,
    HelpNeeded,
    InputError,
    LimitError,
    MachineError,
    MayflyError,
    Refusal,
    StoreError,
    Verdict,
)

__all__ = [
    "CHAOS_THRESHOLD",
    "CONTROL",
    "EDGES",
    "NO_MONEY",
    "POOL_KINDS",
    "UNSET",
    "Agent",
    "Artifact",
    "Asked",
    "BadLines",
    "Budget",
    "Capability",
    "ConflictError",
    "Contract",
    "Cost",
    "Does",
    "Effect",
    "Example",
    "ForgeSettings",
    "GateSettings",
    "HelpNeeded",
    "Hider",
    "Hold",
    "Host",
    "Identity",
    "InputError",
    "InputFile",
    "Intent",
    "Invocation",
    "LibrarySettings",
    "LimitError",
    "MachineError",
    "MarketSettings",
    "MayflyError",
    "McpSettings",
    "ModelSettings",
    "Money",
    "NotSent",
    "Offer",
    "OnExhausted",
    "OpenPoint",
    "Order",
    "Outcome",
    "PersonaSettings",
    "PolicySettings",
    "Pool",
    "PromiseSettings",
    "PromotionSettings",
    "Proof",
    "Refusal",
    "Retry",
    "SandboxSettings",
    "SchemaSettings",
    "SecretFields",
    "SecretValues",
    "SessionSettings",
    "Settings",
    "Side",
    "StagingSettings",
    "Stop",
    "StoreError",
    "StoreSettings",
    "Strength",
    "TelemetrySettings",
    "Tier",
    "ToolSettings",
    "UnresolvedError",
    "Unset",
    "Verdict",
    "WebSettings",
    "Witness",
    "WitnessKind",
    "WorkbenchSettings",
    "address_key",
    "address_kind",
    "agent",
    "canonical_json",
    "check_tree",
    "checked_examples",
    "clipped",
    "content_hash",
    "current_pool",
    "ending_of",
    "find_key",
    "find_program",
    "harmless",
    "host_of",
    "is_secret_name",
    "is_sequence",
    "limit",
    "looks_secret",
    "mismatch",
    "missing_class",
    "missing_program",
    "one_line",
    "parse_json",
    "parse_python",
    "placeholder",
    "placeholders_in",
    "read_input_file",
    "read_small_file",
    "replace",
    "rounds",
    "same",
    "secret_path",
    "secret_values",
    "settings_values",
    "shipped_table",
    "shown",
    "sorts_into_classes",
    "texts_of",
    "units_text",
    "was_hidden",
    "with_checksums",
    "with_tag",
    "within",
    "without_secrets",
    "without_secrets_in",
    "write_whole",
]
