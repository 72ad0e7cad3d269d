//! Verbs of acts that cannot be taken back, in English and Spanish, with the objects that make them such acts.
//!
//! Everything is written folded: lower case, no accents.

use std::sync::LazyLock;

use candor_model::RiskClass;
use rustc_hash::FxHashMap;

use super::objects::{
    ANIMALS, ANSWERED, ASSETS, CARRIERS, CHANNELS, CLEARED, CURRENCIES, DEVICES, DOORS, FILINGS, FIRMWARE,
    FLOWS, GOODS, KEPT, KEYS, LAWSUITS, LETTERS, LIVE, LOCKS, MACHINES, MASTERS, OFFICES, OPEN_TO_ALL,
    PAPERS, PEOPLE, PRODUCTS, RELEASES, RIGHTS, SECRETS, STORES, SUMS, SUPPLIES, TANKS, TERMS, TREES,
};
use RiskClass::{Access, Delete, Deploy, Irreversible, Message, Money};

/// What must stand beside a verb for it to count.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Needs {
    /// Some object that is no part of a text.
    Object,
    /// One of these, as its object: before any preposition.
    Direct(&'static [&'static [&'static str]]),
    /// One of these anywhere in its clause.
    Near(&'static [&'static [&'static str]]),
    /// An article, a pronoun or a number right after it: the word is a noun as often as a verb.
    Determined,
    /// People, an address, or something that is sent to people.
    Recipient,
    /// The name of an act and what it is done to: "deletion of accounts", "deployment to production".
    Nominal,
    /// A person right after it: the word is a noun as often as a verb.
    Person,
    /// One of the first after it (`away`, `over`, `into`), and one of the others anywhere in its clause.
    With(&'static [&'static str], &'static [&'static [&'static str]]),
}

/// One reading of a verb.
#[derive(Debug, Clone, Copy)]
pub(super) struct Verb {
    pub(super) class: RiskClass,
    pub(super) needs: Needs,
}

/// How a form of a verb is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// An order or an infinitive: `delete`, `borra`, `borrar`.
    Base,
    /// `deletes`, `deleting`, `borrando`: an act only at the beginning of a clause.
    Head,
    /// `deleted`: an act only after `be`, `get`, `ser`.
    Participle,
}

type Row = (RiskClass, Needs, &'static str);

/// The English verbs; a form that the rules of spelling do not give follows after `:`.
#[rustfmt::skip]
const ENGLISH: &[Row] = &[
    (Delete, Needs::Object, "delete erase wipe purge destroy obliterate expunge nuke decommission deprovision annihilate unpublish incinerate unlist delist"),
    (Delete, Needs::Near(&[&["out"]]), "zero"),
    (Delete, Needs::Direct(&[KEPT]), "bin cull strike axe chuck ditch junk toss zap scrub"),
    (Delete, Needs::With(&["away", "out", "off"], &[KEPT]), "blow throw chuck clear toss get take:taking"),
    (Delete, Needs::Direct(&[&["ticket", "tickets", "order", "orders"]]), "scrap"),
    (Delete, Needs::Direct(&[CARRIERS]), "shred burn scrap pulp"),
    (Delete, Needs::Near(&[&["of"]]), "dispose"),
    (Delete, Needs::Direct(&[ASSETS]), "remove drop empty prune flush discard trash uninstall unlink terminate eliminate reset truncate throw evict deregister unregister"),
    (Delete, Needs::Direct(&[CLEARED]), "clear clean format scrub"),
    (Delete, Needs::Nominal, "deletion removal erasure purging destruction"),
    (Deploy, Needs::Nominal, "deployment rollout"),
    (Money, Needs::Nominal, "payment repayment"),
    (Delete, Needs::Near(&[&["rid"]]), "get"),
    (Delete, Needs::With(&["off"], &[KEPT]), "kill finish"),
    (Access, Needs::With(&["off"], &[LOCKS]), "turn switch"),
    (Access, Needs::With(&["world"], &[&["readable", "writable"]]), "make set"),
    (Delete, Needs::Near(&[&["down"]]), "tear take:taking"),
    (Irreversible, Needs::Near(&[&["offline"]]), "take:taking bring put"),
    (Irreversible, Needs::With(&["down"], &[ANIMALS]), "put"),
    (Irreversible, Needs::Near(&[&["off"]]), "sign"),
    (Irreversible, Needs::Direct(&[DEVICES]), "disconnect unplug disable"),
    (Irreversible, Needs::Direct(&[TREES]), "raze fell"),
    (Irreversible, Needs::Near(&[LAWSUITS]), "file"),
    (Irreversible, Needs::With(&["for"], &[LAWSUITS]), "file"),
    (Irreversible, Needs::Near(&[&["back"]]), "roll revert"),
    (Irreversible, Needs::Near(&[TANKS]), "drain empty flood"),
    (Irreversible, Needs::Direct(&[GOODS]), "recall ship dispatch"),
    (Irreversible, Needs::Direct(&[ANSWERED]), "decline reject accept withdraw"),
    (Irreversible, Needs::Direct(&[FILINGS]), "withdraw retract"),
    (Irreversible, Needs::Direct(&[TERMS]), "extend"),
    (Irreversible, Needs::Near(&[PEOPLE, &["class"]]), "enrol enroll inject administer vaccinate"),
    (Irreversible, Needs::Direct(&[&["drone", "drones", "rocket", "missile", "torpedo"]]), "launch fire"),
    (Irreversible, Needs::Nominal, "demolition eviction euthanasia"),
    (Deploy, Needs::Object, "deploy redeploy"),
    (Deploy, Needs::Near(&[RELEASES]), "release ship publish launch promote"),
    (Deploy, Needs::Near(&[&["out"]]), "roll"),
    (Deploy, Needs::With(&["out"], &[RELEASES, &["change", "changes"]]), "push"),
    (Deploy, Needs::With(&["on"], &[PEOPLE, &["visitor", "visitors"]]), "flip switch turn toggle"),
    (Deploy, Needs::Near(&[&["release"]]), "cut"),
    (Deploy, Needs::With(&["online"], &[RELEASES]), "put bring go"),
    (Deploy, Needs::With(&["all", "every", "each"], &[RELEASES]), "install"),
    (Deploy, Needs::With(&["store", "stores", "marketplace"], &[PRODUCTS]), "upload submit"),
    (Deploy, Needs::Near(&[LIVE]), "put go push update upgrade restart change modify patch configure migrate scale edit alter switch apply install merge move copy"),
    (Irreversible, Needs::Object, "overwrite"),
    (Irreversible, Needs::Near(&[&["force", "forced", "--force", "-f"]]), "push"),
    (Irreversible, Needs::Near(&[&["history"]]), "rewrite"),
    (Irreversible, Needs::Near(&[MACHINES]), "shut:shutting reboot restart kill halt power stop"),
    (Irreversible, Needs::Direct(&[FIRMWARE]), "replace swap flash reflash"),
    (Irreversible, Needs::With(&["from", "as"], &[OFFICES]), "resign step"),
    (Irreversible, Needs::With(&["notice"], &[&["for", "on", "to"]]), "give"),
    (Irreversible, Needs::Direct(&[TERMS]), "cancel sign accept terminate close rescind resign"),
    (Irreversible, Needs::Direct(&[FILINGS]), "submit lodge"),
    (Irreversible, Needs::Near(&[&["off"]]), "turn switch cut:cutting"),
    (Irreversible, Needs::Near(&[FLOWS]), "open release close shut disengage"),
    (Irreversible, Needs::Object, "euthanise euthanize slaughter demolish bulldoze detonate amputate"),
    (Irreversible, Needs::Direct(&[PEOPLE]), "fire dismiss sack hire expel evict discharge unsubscribe"),
    (Access, Needs::Direct(&[PEOPLE, ASSETS]), "ban block suspend deactivate disconnect"),
    (Access, Needs::Object, "whitelist allowlist blacklist"),
    (Access, Needs::Near(&[KEYS]), "hand surrender"),
    (Access, Needs::With(&["into"], &[STORES, DOORS]), "let:letting"),
    (Access, Needs::With(&["away"], &[RIGHTS]), "take:taking strip"),
    (Access, Needs::Direct(&[DOORS]), "unlock"),
    (Access, Needs::Near(&[RIGHTS, SECRETS]), "grant revoke give assign change rotate reset disable remove escalate elevate modify reveal leak exfiltrate expose regenerate invalidate"),
    (Access, Needs::Direct(&[SECRETS]), "print export dump upload copy steal hand pass divulge disclose publish share surrender"),
    (Access, Needs::Near(&[OPEN_TO_ALL, MASTERS]), "make add promote set"),
    (Access, Needs::Near(&[&["ssh", "api", "iam", "admin", "sudo"]]), "create generate:generating"),
    (Access, Needs::Near(&[&["port", "ports", "firewall", "internet"]]), "open expose"),
    (Access, Needs::Near(&[PEOPLE, &["anyone", "public", "world", "link"]]), "share"),
    (Money, Needs::Near(&[SUMS]), "transfer wire:wiring charge move withdraw deposit settle approve issue send:sending spend:spending lend bet top"),
    (Money, Needs::Object, "pay:paying buy purchase refund reimburse subscribe donate invest remit disburse wager"),
    (Money, Needs::Near(&[&["order", "orders", "bid", "payment", "purchase", "donation", "transfer", "bet"]]), "place make"),
    (Money, Needs::Determined, "book reserve order sell"),
    (Money, Needs::Near(&[CURRENCIES]), "put place"),
    (Money, Needs::Direct(&[&["deposit", "bill", "rent", "fee", "tab", "fine"]]), "cover"),
    (Money, Needs::With(&["in"], &[&["bid"]]), "put"),
    (Message, Needs::With(&["touch"], &[&["with"]]), "get"),
    (Money, Needs::Near(&[TERMS, &["domain", "plan"]]), "renew"),
    (Message, Needs::Recipient, "send forward notify tell remind broadcast inform"),
    (Message, Needs::Object, "invite"),
    (Message, Needs::With(&["to"], &[LETTERS, &["complaint", "complaints", "request", "inquiry"]]), "reply respond"),
    (Message, Needs::Person, "email mail message text dm ping contact alert call phone ring reply respond"),
    (Message, Needs::Near(&[PAPERS]), "publish announce"),
    (Message, Needs::Determined, "tweet broadcast"),
    (Message, Needs::Near(&[CHANNELS]), "post publish tweet announce share comment"),
    (Message, Needs::Near(&[&["know"]]), "let:letting"),
    (Message, Needs::Near(&[LETTERS]), "fire shoot hand blast circulate distribute deliver dispatch drop"),
    (Message, Needs::Near(&[PEOPLE]), "circulate blast"),
    (Message, Needs::Near(&[&["out"]]), "reach"),
];

/// The Spanish verbs, as infinitives; forms with another stem follow after `:`.
#[rustfmt::skip]
const SPANISH: &[Row] = &[
    (Delete, Needs::Object, "borrar eliminar destruir:destruye:destruya suprimir purgar vaciar aniquilar desinstalar"),
    (Delete, Needs::Direct(&[ASSETS]), "quitar tirar descartar truncar retirar resetear"),
    (Delete, Needs::Direct(&[CLEARED]), "limpiar formatear"),
    (Delete, Needs::Direct(&[CARRIERS]), "triturar incinerar quemar"),
    (Delete, Needs::Object, ":deshazte:deshacerse"),
    (Delete, Needs::With(&["desaparecer"], &[KEPT]), "hacer:haz:haga"),
    (Irreversible, Needs::Direct(&[TREES]), "talar"),
    (Irreversible, Needs::Direct(&[DEVICES]), "desconectar desenchufar"),
    (Deploy, Needs::Near(&[&["todos", "todas"]]), "activar"),
    (Money, Needs::Near(&[&["transferencia", "pago", "compra", "donacion", "ingreso", "pedido"]]), "hacer:haz:haga"),
    (Delete, Needs::Nominal, ":eliminacion:borrado:supresion"),
    (Deploy, Needs::Nominal, ":despliegue"),
    (Money, Needs::Nominal, ":pago"),
    (Deploy, Needs::Object, "desplegar:despliega:despliegue:desplieguen"),
    (Deploy, Needs::Near(&[RELEASES]), "publicar lanzar liberar promover:promueve"),
    (Deploy, Needs::Near(&[LIVE]), "subir sacar poner:pon:ponga pasar actualizar reiniciar cambiar modificar migrar aplicar instalar llevar"),
    (Irreversible, Needs::Object, "sobrescribir sobreescribir"),
    (Irreversible, Needs::Near(&[MACHINES]), "apagar detener:deten:detenga parar matar reiniciar"),
    (Irreversible, Needs::Near(&[OFFICES]), "dimitir renunciar"),
    (Deploy, Needs::With(&["tienda", "tiendas", "store"], &[PRODUCTS]), "subir cargar"),
    (Deploy, Needs::With(&["todos", "todas", "cada"], &[RELEASES]), "instalar"),
    (Irreversible, Needs::Direct(&[TERMS]), "cancelar firmar aceptar rescindir cerrar:cierra:cierre anular prorrogar"),
    (Irreversible, Needs::Direct(&[ANSWERED]), "rechazar aceptar"),
    (Irreversible, Needs::Direct(&[PEOPLE]), "retirar matricular"),
    (Irreversible, Needs::Near(&[TANKS]), "vaciar drenar"),
    (Access, Needs::Near(&[KEYS]), "entregar"),
    (Message, Needs::Near(&[&["portal", "web"]]), "subir colgar:cuelga"),
    (Irreversible, Needs::Direct(&[FILINGS]), "presentar"),
    (Irreversible, Needs::Near(&[&["baja"]]), "dar:da:dale"),
    (Irreversible, Needs::Near(&[SUPPLIES]), "cortar apagar"),
    (Irreversible, Needs::Near(&[FLOWS]), "abrir cerrar:cierra soltar:suelta"),
    (Irreversible, Needs::Object, "sacrificar demoler:demuele detonar"),
    (Irreversible, Needs::Direct(&[PEOPLE]), "despedir:despide:despida expulsar"),
    (Access, Needs::Direct(&[PEOPLE, ASSETS]), "bloquear suspender"),
    (Access, Needs::Near(&[RIGHTS, SECRETS]), "conceder otorgar revocar dar:da:de:dale asignar cambiar rotar restablecer:restablezca desactivar quitar modificar revelar filtrar exportar repartir entregar divulgar"),
    (Access, Needs::Near(&[OPEN_TO_ALL, MASTERS]), "hacer:haz:haga anadir poner:pon convertir:convierte"),
    (Access, Needs::Near(&[&["puerto", "puertos", "cortafuegos", "internet"]]), "abrir exponer:expon"),
    (Access, Needs::Near(&[PEOPLE, &["cualquiera", "enlace"]]), "compartir"),
    (Money, Needs::Near(&[SUMS]), "transferir:transfiere:transfiera cobrar retirar ingresar liquidar aprobar:aprueba enviar mandar"),
    (Money, Needs::Object, "pagar comprar abonar reembolsar donar invertir:invierte suscribir"),
    (Money, Needs::Determined, "reservar encargar vender contratar"),
    (Money, Needs::Near(&[TERMS]), "renovar:renueva:renueve"),
    (Message, Needs::Recipient, "enviar mandar responder reenviar avisar notificar contactar llamar informar comunicar contestar decir:di:diga"),
    (Message, Needs::Object, "invitar"),
    (Message, Needs::Near(&[CHANNELS]), "publicar tuitear anunciar postear"),
    // Behind the messages: "envíalo" is about a letter more often than about goods.
    (Irreversible, Needs::Direct(&[GOODS]), "enviar despachar"),
];

/// Every form of every verb, with its readings.
pub(super) static FORMS: LazyLock<FxHashMap<String, Vec<(Form, Verb)>>> = LazyLock::new(|| {
    let mut forms: FxHashMap<String, Vec<(Form, Verb)>> = FxHashMap::default();
    let mut add = |form: String, kind: Form, (class, needs, _): &Row| {
        forms.entry(form).or_default().push((kind, Verb { class: *class, needs: *needs }));
    };
    for row in ENGLISH {
        row.2.split(' ').for_each(|verb| english(verb, &mut |form, kind| add(form, kind, row)));
    }
    for row in SPANISH {
        row.2.split(' ').for_each(|verb| spanish(verb, &mut |form, kind| add(form, kind, row)));
    }
    forms
});

fn english(verb: &str, add: &mut dyn FnMut(String, Form)) {
    let mut parts = verb.split(':');
    let base = parts.next().unwrap_or_default();
    parts.for_each(|form| add(form.to_owned(), Form::Head));
    add(base.to_owned(), Form::Base);
    let last = base.chars().next_back().unwrap_or_default();
    let stem = base.strip_suffix('e').unwrap_or(base);
    let doubled = format!("{base}{last}");
    for stem in [stem, doubled.as_str()] {
        add(format!("{stem}ing"), Form::Head);
        add(format!("{stem}ed"), Form::Participle);
    }
    match base.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        Some(stem) => {
            add(format!("{stem}ies"), Form::Head);
            add(format!("{stem}ied"), Form::Participle);
        }
        None => {
            add(format!("{base}s"), Form::Head);
            add(format!("{base}es"), Form::Head);
        }
    }
    if let Some((_, participle)) = IRREGULAR.iter().find(|(irregular, _)| *irregular == base) {
        add((*participle).to_owned(), Form::Participle);
    }
}

const IRREGULAR: &[(&str, &str)] = &[
    ("send", "sent"),
    ("pay", "paid"),
    ("buy", "bought"),
    ("sell", "sold"),
    ("give", "given"),
    ("tear", "torn"),
    ("take", "taken"),
    ("shut", "shut"),
    ("reset", "reset"),
    ("tell", "told"),
    ("write", "written"),
    ("overwrite", "overwritten"),
    ("withdraw", "withdrawn"),
    ("let", "let"),
    ("steal", "stolen"),
    ("spend", "spent"),
    ("lend", "lent"),
    ("cut", "cut"),
];

fn spanish(verb: &str, add: &mut dyn FnMut(String, Form)) {
    let mut parts = verb.split(':');
    let infinitive = parts.next().unwrap_or_default();
    parts.for_each(|form| add(form.to_owned(), Form::Base));
    if infinitive.is_empty() {
        return;
    }
    add(infinitive.to_owned(), Form::Base);
    let Some((stem, ending)) = infinitive.split_at_checked(infinitive.len().saturating_sub(2)) else {
        return;
    };
    // The stem keeps its sound before an e.
    let soft = match stem.chars().next_back() {
        Some('g') => format!("{stem}u"),
        Some('c') => format!("{}qu", stem.trim_end_matches('c')),
        Some('z') => format!("{}c", stem.trim_end_matches('z')),
        _ => stem.to_owned(),
    };
    let (orders, gerund, participle): (Vec<String>, _, _) = match ending {
        "ar" => (
            vec![
                format!("{stem}a"),
                format!("{soft}e"),
                format!("{soft}en"),
                format!("{stem}ad"),
                format!("{soft}es"),
            ],
            "ando",
            "ad",
        ),
        _ => (
            vec![
                format!("{stem}e"),
                format!("{stem}a"),
                format!("{stem}an"),
                format!("{stem}id"),
                format!("{stem}as"),
            ],
            "iendo",
            "id",
        ),
    };
    orders.into_iter().for_each(|form| add(form, Form::Base));
    add(format!("{stem}{gerund}"), Form::Head);
    for end in ["o", "a", "os", "as"] {
        add(format!("{stem}{participle}{end}"), Form::Participle);
    }
}
