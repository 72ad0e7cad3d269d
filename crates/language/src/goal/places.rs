//! Where a journey starts, where it goes, and every place named on the way.
//!
//! A place is a run of capitalized words that stands where a place can stand: after `to`, `from`, `visiting`
//! and the like. The words before it give it its role; lists and pairs hand the role on. In a text without
//! capitals the same words are enough. Outside of journeys only places known beforehand count.

use super::gazetteer;
use super::text::Text;
use super::{Extracted, Notes, push_new};

mod names;
mod roles;

use self::names::Name;
use self::roles::{Claim, Role};

/// The places of a text, in order, with what each is for.
#[derive(Debug, Default)]
pub(super) struct Found {
    places: Vec<(Name, Option<Claim>)>,
}

impl Found {
    pub(super) fn read(text: &Text<'_>) -> Self {
        let lower = names::is_lower(text);
        let mut found = Self::default();
        let mut at = 0;
        while at < text.len() {
            let name = names::read(text, at, lower);
            at = name.as_ref().map_or(0, |name| name.next).max(at.saturating_add(1));
            if let Some(name) = name {
                found.take(text, name, lower);
            }
        }
        found
    }

    /// Tells whether a way is described: from here to there, or to a place that is known.
    pub(super) fn has_way(&self) -> bool {
        let known = |name: &Name| gazetteer::is_known(&name.key);
        let both = self.best(Role::Origin).is_some() && self.best(Role::Destination).is_some();
        let city = |name: &Name| known(name) && !gazetteer::is_region(&name.key);
        both || self.best(Role::Destination).is_some_and(known)
            || self.places.iter().any(|(name, _)| city(name))
    }

    /// Fills in origin, destination, the number of cities and all places.
    pub(super) fn fill(&self, text: &Text<'_>, travel: bool, extracted: &mut Extracted, notes: &mut Notes) {
        if travel || self.is_way_between_known_places() {
            let said = if travel { city_number(text, notes) } else { None };
            self.put(extracted, said, travel);
        } else {
            extracted.places = self.known();
        }
    }

    fn take(&mut self, text: &Text<'_>, name: Name, lower: bool) {
        let mut claim = roles::claim(text, &name, lower).map(|claim| favoured(&name, claim));
        if let Some((previous, earlier)) = self.places.last_mut() {
            let joint = text.slice(previous.next, name.from);
            let to_list = matches!(
                joint,
                "," | "and" | ", and" | "&" | "y" | "e" | ", then" | "and then" | "or" | "then" | ", y" | "o"
            );
            match (joint, claim) {
                // "Houston to Miami" without "from".
                // In English "a" is an article: "Draft a letter" leads nowhere.
                ("a", _) if text.language == super::Language::En => {}
                ("to" | "a" | "-" | "–" | "→" | "hasta" | "hacia", _) if earlier.is_none() => {
                    *earlier = Some(Claim { role: Role::Origin, strength: 2 });
                    claim = claim.or(Some(Claim { role: Role::Destination, strength: 2 }));
                }
                ("→" | "-", None) => claim = Some(Claim { role: Role::Destination, strength: 2 }),
                (_, None) if to_list => claim = roles::inherited(text, previous, *earlier),
                _ => {}
            }
        }
        self.places.push((name, claim));
    }

    /// The strongest claim to a role; the first one among equals.
    fn best(&self, role: Role) -> Option<&Name> {
        let mut best: Option<(&Name, u8)> = None;
        for (name, claim) in &self.places {
            let Some(claim) = claim.filter(|claim| claim.role == role) else { continue };
            if best.is_none_or(|(_, strength)| claim.strength > strength) {
                best = Some((name, claim.strength));
            }
        }
        best.map(|(name, _)| name)
    }

    fn is_way_between_known_places(&self) -> bool {
        let known = |role| self.best(role).is_some_and(|name| gazetteer::is_known(&name.key));
        known(Role::Origin) && known(Role::Destination)
    }

    fn known(&self) -> Vec<String> {
        let mut places = Vec::new();
        for (name, _) in self.places.iter().filter(|(name, _)| gazetteer::is_known(&name.key)) {
            push_new(&mut places, name.text.clone());
        }
        places
    }

    fn put(&self, extracted: &mut Extracted, said: Option<u32>, travel: bool) {
        let origin = self.best(Role::Origin);
        let elsewhere = |name: &&Name| origin.is_none_or(|origin| origin.key != name.key);
        let destination = self.best(Role::Destination).filter(elsewhere).or_else(|| self.unclaimed());
        for (name, claim) in &self.places {
            if claim.is_some() || gazetteer::is_known(&name.key) {
                push_new(&mut extracted.places, name.text.clone());
            }
        }
        extracted.origin = origin.map(|name| name.text.clone());
        extracted.destination = destination.map(|name| name.text.clone());
        extracted.visiting_city_number = said.or_else(|| self.cities(destination).filter(|_| travel));
    }

    /// A known place that nothing is said about: "Paris, three days, $2000".
    fn unclaimed(&self) -> Option<&Name> {
        let (name, _) =
            self.places.iter().find(|(name, claim)| claim.is_none() && gazetteer::is_known(&name.key))?;
        Some(name)
    }

    /// How many cities are named as goals of the journey; unknown when it goes to a region as a whole.
    fn cities(&self, destination: Option<&Name>) -> Option<u32> {
        let whole = gazetteer::is_region(&destination?.key);
        let unclaimed = self.best(Role::Destination).is_none();
        let mut keys: Vec<&str> = Vec::new();
        for (name, claim) in &self.places {
            let listed = unclaimed && claim.is_none() && gazetteer::is_known(&name.key);
            let visited = listed || claim.is_some_and(|claim| claim.role == Role::Destination);
            if visited && !gazetteer::is_region(&name.key) {
                push_new(&mut keys, name.key.as_str());
            }
        }
        u32::try_from(keys.len()).ok().map(|count| count.max(u32::from(!whole))).filter(|&count| count > 0)
    }
}

/// A region holds the cities that are named beside it: "two weeks in Italy, visiting Rome".
fn favoured(name: &Name, claim: Claim) -> Claim {
    let more = claim.role == Role::Destination && gazetteer::is_region(&name.key);
    Claim { strength: claim.strength.saturating_add(u8::from(more)), ..claim }
}

/// `3 different cities`, `two of its cities`, `a single city`, `dos ciudades`.
fn city_number(text: &Text<'_>, notes: &mut Notes) -> Option<u32> {
    const CITIES: &[&str] =
        &["cities", "city", "ciudades", "ciudad", "towns", "destinations", "destinos", "pueblos"];
    #[rustfmt::skip]
    const STOPS: &[&str] = &[
        "days", "day", "people", "persons", "week", ",", "-", "dias", "personas", "$", "to", "a", "in",
        "from", "us", "for",
    ];
    for at in 0..text.len() {
        let Some(number) = super::numbers::read(text, at) else { continue };
        let end = text.window_end(number.next, 5);
        let counts = |near: usize| super::numbers::read(text, near).is_some();
        let stop = |near: &usize| text.is(*near, STOPS) || counts(*near);
        let cities = (number.next..end)
            .take_while(|near| !stop(near))
            .find(|&near| text.is(near, CITIES) && !text.is_capital(near));
        if let Some(cities) = cities {
            notes.mark_used(at, cities.saturating_add(1));
            return number.whole().filter(|&cities| cities > 0);
        }
    }
    const PAIR: &[&str] = &["pair of cities", "couple of cities", "par de ciudades"];
    const SINGLE: &[&str] = &["a single city", "a city in", "una sola ciudad", "una ciudad"];
    (0..text.len()).find_map(|at| {
        let pair = text.any_phrase(at, PAIR).map(|_| 2);
        pair.or_else(|| text.any_phrase(at, SINGLE).map(|_| 1))
    })
}
