//! Verbs that tell someone to do something, in English and Spanish, in the form in which they command.

/// The verbs. What is missing is recognised by its object or its ending where that is possible.
pub(super) const VERBS: &str = "
    add adjust allocate analyse analyze announce apply approve archive arrange ask assemble assess assign audit
    authenticate back bake block book browse build buy calculate call cancel categorize change check choose classify
    clean clear close collect combine compare compile compose compress compute conduct configure confirm connect
    contact convert cook coordinate copy correct count create cut debug decide define delete deliver deploy design
    detect determine develop diagnose discuss distribute do download draft draw drop edit email e-mail enable encrypt enter
    establish estimate evaluate examine execute explore export extract fetch file fill filter find finish fix
    forecast format gather generate go grade help hire host implement import improve inform inspect install integrate interview
    investigate invite launch learn load locate log look mail map measure merge migrate mix monitor move name
    negotiate normalize notify obtain open optimize order organize outline pack paint pay perform pick plan plot
    post pour predict preheat prepare print process produce propose publish purchase put query rank read rebuild
    recommend record refactor register release remind remove rename rent repair replace report request research
    reserve reset resolve restart retrieve review rewrite rinse roll rotate run save scan schedule scrape search
    select sell send separate serve ship sign simulate sketch sniff solve sort split start stop store study
    submit subscribe suggest summarise summarize survey switch sync test track train transcribe transfer transform translate
    abort accept activate alert align attach benchmark discard drain embed flag reroute triage feed free pause rehearse seed weed anonymise anonymize append bill brief broadcast capture chart chop clone comb consolidate crop
    customise customize deactivate deduplicate disable dispatch document dry escalate exclude expand fold forward freeze
    frost grate grill group harvest highlight identify inventory invoice iterate label lint list mark mash mow narrate number
    onboard peel pin plant polish present prioritise prioritize profile promote prune quote rake rebase rebook reboot
    recalculate recap reconcile recruit redact redesign reduce repaint rephrase replicate restock restore retest retire retrain
    roast sample sand scale screen season sew sharpen shortlist shred simmer slice soak stitch strip style sweep tag taste tidy tighten
    trace trim tune unpack untangle vacuum vet water weigh whisk wipe wire
    adjourn amend calibrate catalogue catalog charter clamp coach cross-check cross-reference declutter dilute disinfect docket
    drill eradicate evacuate fence fertilise fertilize focus graft ignite index inoculate irrigate isolate
    lubricate muster patch photograph pressurise quarantine recalibrate rehang relabel repot reschedule reseal resurface
    rewire sanitise solder sow sterilise sterilize stow summon swab thaw tow transplant unload vaccinate varnish
    ventilate weld winterise winterize boil bottle brew carve distil ferment knead recruit sail
    troubleshoot turn understand update upgrade upload validate verify visit visualize wait wash write

    abre actualiza actualizar agrega agregar alquila alquilar analiza analizar añade añadir aprende aprender
    arregla arreglar busca buscar calcula calcular cambia cambiar cancela cancelar cierra cerrar compara comparar
    compra comprar comprueba comprobar configura configurar confirma confirmar consigue conseguir construye
    construir convierte convertir copia copiar corrige corregir crea crear define definir descarga descargar
    despliega desplegar diseña diseñar elige elegir elimina eliminar encuentra encontrar envía enviar envia escoge
    escoger escribe escribir estima estimar estudia estudiar evalúa evaluar evalua exporta exportar extrae extraer
    genera generar guarda guardar haz hacer importa importar instala instalar investiga investigar invita invitar
    lee leer limpia limpiar llama llamar manda mandar mide medir mueve mover obtén obtener ordena ordenar
    organiza organizar paga pagar pide pedir planea planear planifica planificar prepara preparar prueba probar
    publica publicar recomienda recomendar redacta redactar reserva reservar resume resumir reúne reunir revisa
    revisar selecciona seleccionar sube subir suma sumar traduce traducir valida validar vende vender verifica
    verificar visita visitar
    agenda agendar archiva archivar avisa avisar carga cargar clasifica clasificar comparte compartir concilia conciliar consulta
    consultar contrata contratar corta cortar despliega desplegar documenta documentar encarga encargar entrega entregar entrena
    entrenar entrevista entrevistar factura facturar filtra filtrar formatea formatear gestiona gestionar imprime imprimir implementa
    implementar informa informar lanza lanzar lava lavar migra migrar monta montar monitoriza monitorizar negocia negociar
    notifica notificar pela pelar pinta pintar pon poner presenta presentar priorizar programa programar promociona promocionar
    protege proteger recoge recoger reduce reducir refactoriza reinicia reiniciar renueva renovar repara reparar responde responder
    ajusta ajustar anota anotar aplica aplicar asigna asignar calibra calibrar coloca colocar indexa indexar registra registrar
    cataloga catalogar cosecha cosechar cuenta contar digitaliza digitalizar drena drenar etiqueta etiquetar examina examinar fotografía
    fotografiar ilumina iluminar inventaría inventariar marca marcar numera numerar poda podar pesa pesar rellena rellenar reparte
    repartir retira retirar riega regar siembra sembrar solda soldar transcribe transcribir trasplanta trasplantar vacuna vacunar vacía
    vaciar ventila ventilar barniza barnizar afina afinar cita citar convoca convocar rotula rotular embala embalar
    restaura restaurar separa separar sirve servir supervisa supervisar sustituye sustituir lleva llevar averigua averiguar
    accompany acquire administer advertise aerate allow anneal appoint ascertain assert await backfill bathe begin
    bind blanch borrow bring broaden carry celebrate chase chill cite collate communicate complete condense conserve
    construct consume continue convene cool correspond crawl curate decode decorate decrypt dedicate defer deflate
    defrost demolish derive descale detach devise dig dim dismantle dismiss dissolve divide donate double douse
    duplicate elect elicit empty encode engage engrave enlarge enlist enrol enroll enumerate erase erect extend
    fasten flatten follow fry furnish garnish glue grind handle hang hide hoist hold ice illustrate immerse impose
    incorporate increase inflate infuse initiate inject insert insulate insure introduce invert join jot knit lay
    lead leave lend loosen lower maintain manage manufacture marinate melt mend mention moisten modify muck mute
    omit oversee overwrite persuade poach populate postpone proofread protect prove pull purge purify push quantify
    raise reach reactivate reassemble reassign recite recycle redeploy redirect redistribute refill refine refuel
    refurbish regenerate reheat reindex reinforce reinstall reject relate relocate remeasure remount render renew
    reopen reply reproduce resend resize retain reuse revert revise revoke rub salvage scrub secure settle shave
    shelve shut sift silence sing sink soften spin splice spread sprinkle squash staple steep stir straighten strain
    strengthen stretch strike structure substitute subtract supervise suspend sustain swap tabulate tally teach tend
    thicken thin throw tie tilt toast torque type unblock uncordon undo unify uninstall unlock unmount unplug untie
    unwrap uproot vote warm warn weave whitelist widen withdraw wrap
    bag bait bend blast bleed bolt brush buff caption cast charge clip coat comment commission control cover crate
    credit crush cue cure cycle date debit deposit dip dock dress drive dump dust dye end escort exchange exhibit
    fire fit flip flush fly frame fund gauge gild glaze guard guide halt hand haul heat hem hook hose iron issue
    judge lace level lift light line link loop match mill mine mirror model mop mount nail note offer oil park paste
    patrol phone pilot pipe pitch place plate plough plow plug point position press prime proof provision pump punch
    queue race rate refund relay rescue rig ring rivet salt score scout seal service shape shear shelter shield
    shift shock shoot smoke smooth snap solicit spot spray stack staff stage stain stake stamp steam stock strap
    suit supply support tap tape text thread tile time tint top tour treat trap trench tuck twist value vent voice
    walk wax wedge whip wind work yoke
    abona abonar acopla acoplar afila afilar aísla aislar alinea alinear almacena almacenar apaga apagar aparca
    aparcar apunta apuntar aspira aspirar ata atar atornilla atornillar avala bate batir bloquea bloquear borra
    borrar calienta calentar captura capturar cepilla cepillar cifra cifrar compón componer coge coger cose coser
    cuece cocer cuelga colgar cumplimenta curte curtir decidir decora decorar desactiva desactivar desarrolla
    desarrollar desbroza desbrozar descarta descartar descongela descongelar desinfecta desinfectar desmonta
    desmontar despeja destila destilar detecta detectar devuelve devolver dibuja dibujar distribuye distribuir
    divide dividir edita editar ejecuta ejecutar elabora elaborar empaqueta empaquetar empieza empezar emite emitir
    enciende encender engrasa engrasar enfría enfriar ensambla ensamblar ensaya ensayar envasa envasar enseña
    enseñar escanea escanear escucha escuchar esparce esparcir esquila esquilar evacúa evacuar extiende extender
    fermenta fermentar fija fijar firma firmar forra forrar fresa fresar fríe freír funde fundir graba grabar hierve
    hervir hornea hornear identifica identificar inspecciona inspeccionar instruye interroga interrogar lija lijar
    llena llenar localiza localizar lubrica lubricar mezcla mezclar modela modelar muele moler nivela nivelar ofrece
    ofrecer pasteuriza pasteurizar pega pegar perfora perforar plancha planchar planta plantar prensa prensar propón
    proponer pule pulir purga purgar rasca rascar raspa raspar recicla reciclar recorta recortar recuerda recordar
    rechaza rechazar redirige redirigir refuerza reforzar rehaz rehacer remite remitir remoja remojar repite repetir
    repón reponer repasa repasar reubica reubicar rota rotar saca sacar sacude seca secar sella sellar señala
    señalar simula simular solicita solicitar suelta soltar sujeta sujetar tala talar talla tallar tapa tapar tamiza
    tamizar termina terminar tiñe teñir toma tomar trae traer transporta transportar traslada trasladar tritura
    triturar tuesta tostar ubica ubicar une unir vendimia vendimiar vierte verter vigila vigilar zurce zurcir
";

/// Verbs that are as often nouns; they open a clause only where words around them show it.
pub(super) const ALSO_NOUNS: &str = "
    agenda answer ata audit back bag bait bate bend bill blast bleed block boil bolt book bottle brew brief brush
    buff build busca call cambia cancel caption capture carga cast catalog catalogue change charge chart charter
    check cifra cita clamp clip coach coat comment commission compra consulta contact control cook copia copy cose
    cosecha count cover crate credit crush cue cuenta cure cut cycle date debit deposit design dip dock docket
    document draft drain dress drill drive drop dump dust dye e-mail email end entrega entrevista escort estimate
    etiqueta exchange exhibit export factura fence ferment file filter fire firma fit fix flip flush fly focus fold
    forecast format forra frame fresa fund funde gauge gild glaze graba grade graft group guard guide halt hand haul
    heat hem hire hook hose host import index interview inventory invoice iron issue judge label lace launch level
    lift light lija line link list lista load log look loop mail map marca mark match measure mezcla mill mine
    mirror mix model modela monitor mop mount move muele nail name note number offer oil order pack paint park paste
    patch patrol pay pega pesa phone photograph pick pilot pin pinta pipe pitch place plan plancha plant planta
    plate plot plough plow plug poda point pon position post prensa presenta press prime print process produce
    profile programa proof provision prueba pump punch purga quarantine query queue quote race rank rate read record
    refund relay release rent repair report request rescue research reserva reserve reset resume retira review rig
    ring rivet roll rota run saca sail sala salt sample save scale scan schedule score scout screen seal search
    season seca sella service shape shear shelter shield shift shock shoot siembra sign sketch smoke smooth snap
    solicit sort split spot spray stack staff stage stain stake stamp start steam stock stop store strap study style
    suit suma supply support survey swab sweep switch tag talla tally tap tapa tape taste test text thread throw
    tile time tint toma top tour tow trace track train transfer trap treat trench trim tuck tune turn twist type une
    update upgrade upload value varnish vent visit visita voice wait walk wash water wax wedge whip wind wire work
    wrap yoke
";
