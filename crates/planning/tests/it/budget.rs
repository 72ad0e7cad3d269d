//! What runs may cost.
use candor_model::Money;
use candor_planning::budget::Allowance;
use candor_testkit::fixtures::dollars;
use proptest::prelude::*;

#[test]
fn a_cap_may_be_reached_but_not_passed() {
    let mut allowance = Allowance { cap: Some(dollars(1.0)), ..Allowance::default() };
    assert!(allowance.can_reserve(dollars(1.0)));
    allowance.reserve(dollars(0.4));
    assert!(allowance.can_reserve(dollars(0.6)));
    assert!(!allowance.can_reserve(dollars(0.600001)));
    allowance.release(dollars(0.4));
    allowance.charge(dollars(1.0));
    assert!(!allowance.is_overdrawn());
    assert!(allowance.can_reserve(Money::ZERO) && !allowance.can_reserve(Money::from_micros(1)));
    allowance.charge(Money::from_micros(1));
    assert!(allowance.is_overdrawn());
    assert!(Allowance::default().can_reserve(Money::MAX), "without a cap there is no limit");
}

#[test]
fn the_largest_amounts_do_not_wrap_around() {
    let mut allowance = Allowance { cap: Some(Money::MAX), ..Allowance::default() };
    allowance.charge(Money::MAX);
    assert!(!allowance.can_reserve(Money::from_micros(1)));
    allowance.charge(Money::MAX);
    assert!(!allowance.is_overdrawn());
    allowance.release(Money::MAX);
    assert_eq!(allowance.reserved, Money::ZERO);
}

fn amount() -> impl Strategy<Value = Money> {
    (0..20_000u64).prop_map(Money::from_micros)
}

proptest! {
    #[test]
    fn work_that_was_reserved_never_overdraws(amounts in prop::collection::vec(amount(), 0..20), cap in amount()) {
        let mut allowance = Allowance { cap: Some(cap), ..Allowance::default() };
        let mut running = Vec::new();
        for amount in amounts {
            if allowance.can_reserve(amount) {
                allowance.reserve(amount);
                running.push(amount);
            }
            prop_assert!(allowance.spent + allowance.reserved <= cap);
            if running.len() > 3 {
                let done = running.remove(0);
                allowance.release(done);
                allowance.charge(done);
            }
            prop_assert!(!allowance.is_overdrawn());
        }
        prop_assert_eq!(allowance.reserved, running.into_iter().sum::<Money>());
    }
}
