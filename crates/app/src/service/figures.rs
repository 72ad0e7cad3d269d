//! Figures of the installation as a server shows them: the same that the commands print.

use candor_model::{RunId, Timestamp};
use candor_planning::calibration::{self, Band};
use candor_ports::{RunQuery, Stream, StreamNote};
use candor_projections::artifacts::{ArtifactContent, artifacts};
use candor_projections::dashboard::Dashboard;
use candor_projections::efficiency::EfficiencyReport;
use candor_projections::kpi::{ActiveAlert, AlertBook, KpiReport, RunShare, Trail, Window};
use candor_projections::spend::SpendReport;
use candor_projections::summary::Summary;
use candor_projections::trace::{Content, Trace};
use candor_runtime::wall;

use super::Service;
use crate::board::board;
use crate::config::Age;
use crate::error::AppError;
use crate::feedback::{self, Feedback};
use crate::run_metrics::MetricsReport;
use crate::{observe, traces};

impl Service {
    /// The window that ends now.
    #[must_use]
    pub fn window(&self, since: Option<Age>) -> Window {
        observe::window(since, &self.0.app.config.kpi, wall())
    }

    /// The key figures, and the record of alerts. Alerts are judged over the configured window only.
    pub async fn kpis(&self, since: Option<Age>) -> Result<(KpiReport, AlertBook), AppError> {
        let (log, config) = (&self.0.log, &self.0.app.config.kpi);
        let report = observe::kpis(log, config, self.window(since)).await?;
        let book = match since {
            Some(_) => observe::alerts(log).await?,
            None => observe::judge(log, config, &report).await?,
        };
        Ok((report, book))
    }

    /// Puts on record that somebody looks into an active alert.
    pub async fn acknowledge_alert(&self, name: &str, by: &str) -> Result<ActiveAlert, AppError> {
        let alert = observe::acknowledge(&self.0.log, name, by, wall()).await?;
        self.0.alerts_judged.send_replace(());
        Ok(alert)
    }

    /// How sure runs were, and how many of them succeeded.
    pub async fn calibration(&self) -> Result<Vec<Band>, AppError> {
        Ok(calibration::bands(&self.0.log.experience().await?.outcomes))
    }

    /// The key figures with their course.
    pub async fn kpi_series(&self, since: Option<Age>) -> Result<(KpiReport, Vec<Trail>), AppError> {
        observe::kpi_series(&self.0.log, &self.0.app.config.kpi, self.window(since)).await
    }

    /// What each run contributes to a figure.
    pub async fn contributions(&self, name: &str, since: Option<Age>) -> Result<Vec<RunShare>, AppError> {
        observe::contributions(&self.0.log, name, self.window(since)).await
    }

    /// Figures and alerts in the text format of Prometheus.
    pub async fn prometheus(&self) -> Result<String, AppError> {
        observe::prometheus(&self.0.log, &self.0.app.config.kpi, wall()).await
    }

    /// How phases, tools and models did in the runs that began since a moment, or in all.
    pub async fn run_metrics(&self, since: Option<Age>) -> Result<MetricsReport, AppError> {
        let since = since.map(|age| age.before(wall()));
        MetricsReport::of(&self.0.log, &RunQuery { since, ..RunQuery::default() }, usize::MAX).await
    }

    /// What runs spent, since a moment or ever.
    pub async fn spending(&self, since: Option<Age>) -> Result<SpendReport, AppError> {
        let until = wall();
        let since = since.map_or(Timestamp::EPOCH, |age| age.before(until));
        observe::spending(&self.0.log, Window { since, until }, &RunQuery::default()).await
    }

    /// What tokens and money bought, and the window in one record.
    pub async fn efficiency(&self, since: Option<Age>) -> Result<(EfficiencyReport, Summary), AppError> {
        observe::efficiency(&self.0.log, self.window(since)).await
    }

    /// A run, or the one that changed last, and the installation at a glance.
    pub async fn board(&self, run: Option<&RunId>) -> Result<Dashboard, AppError> {
        let last = match run {
            Some(_) => None,
            None => self.latest(1).await?.into_iter().next().map(|entry| entry.summary.run_id),
        };
        board(Some(&self.0.log), run.or(last.as_ref()), &self.0.app.config.kpi, wall()).await
    }

    /// Puts on record what somebody thinks of a run, and sends its trace again where traces go.
    pub async fn rate(
        &self,
        run: &RunId,
        rating: u8,
        text: Option<String>,
        by: &str,
    ) -> Result<Feedback, AppError> {
        let text = text.map(|text| self.0.app.without_secrets(text));
        let feedback = Feedback { rating, text, by: by.to_owned(), at: wall() };
        feedback::record(&self.0.log, run, &feedback).await?;
        if let Err(error) = traces::export_rated(&self.0.log, run, wall()).await {
            let error = self.0.app.redactor().text(&error.to_string()).into_owned();
            tell!(
                "warning: the rating of {run} is on record and could not be sent: {error}",
                "aviso: la valoración de {run} está registrada y no se pudo enviar: {error}"
            );
        }
        Ok(feedback)
    }

    /// A run as a trace.
    pub async fn trace(&self, run: &RunId, content: Content) -> Result<Trace, AppError> {
        traces::trace(&self.0.log, run, content).await
    }

    /// What a run has produced so far.
    pub async fn artifacts(&self, run: &RunId) -> Result<Vec<ArtifactContent>, AppError> {
        Ok(artifacts(&self.load(run).await?.state))
    }

    /// Appends a note to a stream of the installation, without secrets: reasons and answers are people's words.
    pub async fn append_note(&self, mut note: StreamNote) -> Result<(), AppError> {
        self.0.app.redactor().value(&mut note.body);
        Ok(self.0.log.append_note(note).await?)
    }

    /// The notes of a stream from a moment on.
    pub async fn notes(&self, stream: Stream, since: Timestamp) -> Result<Vec<StreamNote>, AppError> {
        Ok(self.0.log.notes(stream, since).await?)
    }
}
