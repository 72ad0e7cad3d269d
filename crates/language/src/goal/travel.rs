//! Whether a goal is about a journey. Looks at words only; where the journey goes is for `places`.

use candor_text::WordSet;

use super::text::{Text, is_among};

/// Words that mean a journey on their own.
#[rustfmt::skip]
static JOURNEY: WordSet = WordSet::new(&[
    "trip", "trips", "vacation", "vacations", "getaway", "itinerary", "honeymoon", "sightseeing", "roadtrip",
    "backpacking", "excursion", "escapade", "voyage", "viaje", "viajes", "vacaciones", "escapada",
    "itinerario", "viajar", "viajo", "viajamos", "viajaremos", "viajare", "luna",
]);
/// Words that mean a journey in the company of others.
#[rustfmt::skip]
static HINTS: WordSet = WordSet::new(&[
    "travel", "traveling", "travelling", "traveler", "travelers", "travellers", "journey", "tour", "visit",
    "visiting", "flight", "flights", "hotel", "hotels", "accommodation", "accommodations", "cities",
    "departing", "exploring", "explore", "holiday", "destination", "weekend", "fly", "flying", "stay",
    "adventure", "vuelo", "vuelos", "alojamiento", "ciudades", "visitar", "recorrer", "saliendo", "destino",
    "conocer", "turismo", "recorrido", "hoteles", "volar", "habitacion", "habitaciones", "lodging", "retreat",
    "expedition", "aventura", "partiendo", "viajando", "viajeros", "rooms", "cuisine", "cuisines", "cruise",
]);
/// Words that mean a journey when it is known where to.
const GOING: &[&str] = &["go", "going", "christmas", "navidad", "ir", "voy", "vamos", "nights", "noches"];
/// A time that is a stay when a place follows: `3 days in Paris`.
const STAYS: &[&str] = &["day", "days", "week", "weeks", "dia", "dias", "semana", "semanas"];
/// Words of goals that only talk about journeys: software, texts, business.
#[rustfmt::skip]
static OTHER_WORK: WordSet = WordSet::new(&[
    "app", "website", "api", "database", "code", "software", "module", "backend", "frontend", "script",
    "dashboard", "article", "essay", "report", "policy", "microservice", "tests", "refactor", "deploy",
    "migrate", "aplicacion", "sitio", "codigo", "informe", "articulo", "ensayo", "pagina", "bug", "pipeline",
    "endpoint", "schema", "server", "servidor", "implement", "debug", "agency", "startup", "blog",
]);
/// How many words say what a goal is about; the rest is detail.
const LOOK_AT: usize = 2_000;

/// Tells whether a text is about a journey to be planned. With `way`, a place to go to is already known, and
/// one hint is enough.
pub(super) fn is_about(text: &Text<'_>, way: bool) -> bool {
    let (mut journey, mut other) = (0_u32, 0_u32);
    for (at, token) in text.tokens().iter().enumerate().take(LOOK_AT) {
        let key = token.key.as_ref();
        journey += 2 * u32::from(JOURNEY.contains(key)) + u32::from(HINTS.contains(key));
        let stays = STAYS.contains(&key) && text.is(at.saturating_add(1), &["in", "en"]);
        journey += u32::from(way && (stays || is_among(key, GOING)));
        other += 2 * u32::from(OTHER_WORK.contains(key));
    }
    journey >= if way { 1 } else { 2 } && journey > other
}
