//! Links that are used in the meantime. The contract suite shows the others on each store.

use super::super::{ChoosePasswordError, PasswordChoice, Passwords};
use super::support::{PASSWORD, WordListChecker, account, checkpoint, email, home, stranger, units};
use crate::ports::storage::test_support::MockUnitOfWork;
use crate::ports::storage::{MockPasswordLinkReader, MockProfileReader, PasswordLinkWithAccount};
use crate::testing::{noon, person, secret, user_id};
use domain::password_link::{PasswordLink, PasswordLinkPurpose};
use domain::second_factor::SecondFactorPolicy;
use domain::secret::SecretKind;
use std::sync::Arc;

#[tokio::test]
async fn only_one_of_two_concurrent_uses_sets_the_password() {
    let secret = secret(SecretKind::PasswordLink, 9);
    for purpose in [
        PasswordLinkPurpose::Reset { user_id: user_id(1) },
        PasswordLinkPurpose::SignUp { email: email("new@example.org") },
    ] {
        let link = PasswordLink::new(secret.hash(), purpose, noon());
        let account_of_link = Some((person().email, person().status));
        let found = PasswordLinkWithAccount { link: link.clone(), account: account_of_link };
        let mut links = MockPasswordLinkReader::new();
        links.expect_find_password_link().return_once(|_| Ok(Some(found)));
        let mut late = MockUnitOfWork::default();
        late.password_links.expect_find().times(1).return_once(|_| Ok(Some(link)));
        late.password_links.expect_consume().times(1).return_once(|_| Ok(None));
        late.users.expect_find().returning(|_| Ok(Some(person())));
        let units = units([late]);
        let passwords = Passwords {
            checkpoint: checkpoint(account(&person(), None), &units).0,
            links: Arc::new(links),
            profiles: Arc::new(MockProfileReader::new()),
            strength_checker: Arc::new(WordListChecker),
            policy: SecondFactorPolicy::Optional,
            mail: None,
        };
        let choice = PasswordChoice {
            password: PASSWORD,
            home_timezone: None,
            kept_passkeys: None,
            disconnect_apps: false,
            origin: stranger(home()),
        };
        let error = passwords.choose(secret.expose(), choice).await.unwrap_err();
        assert!(matches!(error, ChoosePasswordError::UnusableLink), "{error}");
        assert_eq!((units.endings().committed(), units.events().all().len()), (0, 0));
    }
}
