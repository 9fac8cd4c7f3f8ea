//! Actions of the model.

use proptest::prelude::*;

/// Index of an existing element, counted from the newest; always valid if there is any.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pick(u8);

impl Pick {
    /// Returns the index among this many.
    pub(super) fn index_among(self, count: usize) -> Option<usize> {
        (count > 0).then(|| count - 1 - usize::from(self.0) % count)
    }
}

/// A person and a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Party {
    pub(super) person: usize,
    pub(super) client: usize,
}

/// Client that presents something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Presenter {
    /// Whether it is the owner, or the other client.
    pub(super) is_owner: bool,
    /// Which of its secrets it uses.
    pub(super) secret: Pick,
}

/// Every action; `at` is the server that gets the request.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// The operator issues a code by hand.
    IssueByHand {
        party: Party,
    },
    /// The person allows the client on the pages.
    Consent {
        party: Party,
        at: usize,
    },
    /// A client presents a code.
    Redeem {
        code: Pick,
        by: Presenter,
        at: usize,
    },
    /// A client presents a code to both servers at once.
    RedeemAtOnce {
        code: Pick,
        by: Presenter,
    },
    /// A client presents a refresh token.
    Refresh {
        grant: Pick,
        by: Presenter,
        at: usize,
    },
    /// A client revokes a refresh token.
    GiveRefreshBack {
        grant: Pick,
        by: Presenter,
        at: usize,
    },
    /// A client revokes an access token.
    GiveAccessBack {
        access: Pick,
        by: Presenter,
        at: usize,
    },
    /// A client introspects an access token.
    Introspect {
        access: Pick,
        by: Presenter,
        at: usize,
    },
    /// A token is used.
    Read {
        access: Pick,
        at: usize,
    },
    /// A personal token is used.
    ReadPersonally {
        token: Pick,
        at: usize,
    },
    /// The person creates a personal token.
    MakeToken {
        person: usize,
        at: usize,
    },
    /// The person revokes a personal token.
    RevokeToken {
        token: Pick,
        at: usize,
    },
    /// The person disconnects one client, or all.
    Disconnect {
        person: usize,
        client: Option<usize>,
        at: usize,
    },
    /// The person changes the password.
    ChangePassword {
        person: usize,
        disconnects: bool,
        at: usize,
    },
    /// The person signs in in a new browser.
    SignIn {
        person: usize,
        at: usize,
    },
    /// The person signs out where they signed in last.
    SignOut {
        person: usize,
        at: usize,
    },
    /// The person signs out everywhere.
    SignOutEverywhere {
        person: usize,
        at: usize,
    },
    /// A browser opens a page of the signed-in person.
    Look {
        session: Pick,
        at: usize,
    },
    /// The operator sets a password.
    SetPassword {
        person: usize,
    },
    /// The operator revokes a person's grants of a client.
    RevokeGrants {
        party: Party,
    },
    Lock {
        person: usize,
    },
    Unlock {
        person: usize,
    },
    Delete {
        person: usize,
    },
    Disable {
        client: usize,
    },
    Enable {
        client: usize,
    },
    /// The operator rotates a client's secret.
    RotateSecret {
        client: usize,
    },
    /// The operator creates a new signing key, and optionally retires the older ones.
    RotateKey {
        is_emergency: bool,
    },
}

/// Returns any action, with productive ones more often.
pub(super) fn any() -> impl Strategy<Value = Action> {
    prop_oneof![
        32 => issuing(),
        36 => of_clients(),
        11 => reading(),
        19 => of_people(),
        22 => of_the_operator(),
    ]
}

fn two() -> impl Strategy<Value = usize> {
    0..2_usize
}

fn pick() -> impl Strategy<Value = Pick> {
    prop_oneof![3 => Just(0), 2 => 0..6_u8].prop_map(Pick)
}

fn party() -> impl Strategy<Value = Party> {
    (two(), two()).prop_map(|(person, client)| Party { person, client })
}

fn presenter() -> impl Strategy<Value = Presenter> {
    let is_owner = prop_oneof![6 => Just(true), 1 => Just(false)];
    let secret = prop_oneof![6 => Just(0), 1 => 1..3_u8].prop_map(Pick);
    (is_owner, secret).prop_map(|(is_owner, secret)| Presenter { is_owner, secret })
}

fn issuing() -> impl Strategy<Value = Action> {
    prop_oneof![
        10 => party().prop_map(|party| Action::IssueByHand { party }),
        4 => (party(), two()).prop_map(|(party, at)| Action::Consent { party, at }),
        14 => (pick(), presenter(), two()).prop_map(|(code, by, at)| Action::Redeem { code, by, at }),
        4 => (pick(), presenter()).prop_map(|(code, by)| Action::RedeemAtOnce { code, by }),
    ]
}

fn of_clients() -> impl Strategy<Value = Action> {
    let grant = || (pick(), presenter(), two());
    prop_oneof![
        5 => grant().prop_map(|(grant, by, at)| Action::Refresh { grant, by, at }),
        2 => grant().prop_map(|(grant, by, at)| Action::GiveRefreshBack { grant, by, at }),
        2 => grant().prop_map(|(access, by, at)| Action::GiveAccessBack { access, by, at }),
        2 => grant().prop_map(|(access, by, at)| Action::Introspect { access, by, at }),
    ]
}

fn reading() -> impl Strategy<Value = Action> {
    prop_oneof![
        4 => (pick(), two()).prop_map(|(access, at)| Action::Read { access, at }),
        2 => (pick(), two()).prop_map(|(token, at)| Action::ReadPersonally { token, at }),
        2 => (pick(), two()).prop_map(|(session, at)| Action::Look { session, at }),
    ]
}

fn of_people() -> impl Strategy<Value = Action> {
    let one = || (two(), two());
    let client = prop_oneof![2 => two().prop_map(Some), 1 => Just(None)];
    prop_oneof![
        4 => one().prop_map(|(person, at)| Action::MakeToken { person, at }),
        2 => (pick(), two()).prop_map(|(token, at)| Action::RevokeToken { token, at }),
        3 => (two(), client, two())
            .prop_map(|(person, client, at)| Action::Disconnect { person, client, at }),
        3 => (two(), proptest::bool::ANY, two())
            .prop_map(|(person, disconnects, at)| Action::ChangePassword { person, disconnects, at }),
        3 => one().prop_map(|(person, at)| Action::SignIn { person, at }),
        2 => one().prop_map(|(person, at)| Action::SignOut { person, at }),
        1 => one().prop_map(|(person, at)| Action::SignOutEverywhere { person, at }),
    ]
}

fn of_the_operator() -> impl Strategy<Value = Action> {
    prop_oneof![
        1 => two().prop_map(|person| Action::SetPassword { person }),
        2 => party().prop_map(|party| Action::RevokeGrants { party }),
        3 => two().prop_map(|person| Action::Lock { person }),
        5 => two().prop_map(|person| Action::Unlock { person }),
        1 => two().prop_map(|person| Action::Delete { person }),
        2 => two().prop_map(|client| Action::Disable { client }),
        4 => two().prop_map(|client| Action::Enable { client }),
        3 => two().prop_map(|client| Action::RotateSecret { client }),
        3 => proptest::bool::ANY.prop_map(|is_emergency| Action::RotateKey { is_emergency }),
    ]
}
