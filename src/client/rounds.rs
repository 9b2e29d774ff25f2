//! Results that ask for input first: the questions are answered and the request is made again
//! (2026-07-28 basic/patterns/mrtr).

use std::time::Duration;

use super::draft::Draft;
use super::era::{Era, Shape, Wanted};
use super::error::{ClientError, Fault};
use super::operations::Client;
use super::peer::Answer;
use super::state::Unanswered;
use crate::outcome::Phase;
use crate::wire::json;

/// The pause before the second try that was asked for without a question; it grows by as much with each.
const PAUSE: Duration = Duration::from_millis(100);
/// How many times that at most.
const LONGEST_PAUSE: u32 = 10;

/// Makes a request of an era from its members, under an id.
pub(super) type Drafting<'a> = dyn Fn(&Era, &[(&str, String)], u64) -> Draft + Sync + 'a;

impl Client {
    /// A request whose result may ask for input; it is repeated with the answers until its result is one.
    ///
    /// `draft` makes the request from its members; it is asked anew for each round, which has an id of its own.
    pub(super) async fn in_rounds(
        &mut self,
        method: &str,
        members: &[(&str, String)],
        draft: &Drafting<'_>,
    ) -> Result<Answer, ClientError> {
        // Neither key may be there unless the server asked for it, and the state goes back to the byte
        // (2026-07-28 basic/patterns/mrtr §Client Requirements).
        let mut supplied: Vec<(&'static str, String)> = Vec::new();
        let mut round = 0;
        loop {
            let all: Vec<(&str, String)> = members.iter().cloned().chain(supplied.iter().cloned()).collect();
            let answer = self.renewing(&|era: &Era, id: u64| draft(era, &all, id)).await?;
            let Shape::InputRequired(wanted) = self.era().shape(method, &answer.result, self.ledger())? else {
                return Ok(answer);
            };
            if round == self.options().max_rounds {
                let asked = wanted.questions.into_iter().map(|(_, question)| question).collect();
                return Err(ClientError { phase: Phase::of_method(method), fault: Fault::Rounds(round, asked) });
            }
            round += 1;
            if wanted.questions.is_empty() {
                // It asks for nothing but another try, which is how a server sheds load: at once the first time, then with
                // growing pauses.
                let pause = PAUSE * u32::try_from(round - 1).unwrap_or(u32::MAX).min(LONGEST_PAUSE);
                super::peer::guard(self.options(), Phase::of_method(method), tokio::time::sleep(pause)).await?;
            }
            supplied = self.supply(method, &wanted).await?;
        }
    }

    /// The members that answer what was wanted. With no question there is only the state to send back, at once.
    pub(super) async fn supply(
        &mut self,
        method: &str,
        wanted: &Wanted,
    ) -> Result<Vec<(&'static str, String)>, ClientError> {
        let phase = Phase::of_method(method);
        // It is a secret of the server: masked wherever it shows up, also where the server repeats it in words.
        if let Some(state) = wanted.state.as_ref().and_then(|state| json::string(state)) {
            self.tracer().redactor().add_text(&state);
        }
        let mut responses = Vec::new();
        let mut open = Vec::new();
        for (key, question) in &wanted.questions {
            // A person may take as long as the whole command may.
            let unhurried = super::Options { timeout: None, ..self.options().clone() };
            let reply = super::peer::guard(&unhurried, phase.clone(), self.peer().ask(question)).await?;
            match (reply.answer, reply.unanswered) {
                (Ok(result), None) => responses.push(format!("{}:{result}", json::quote(key))),
                (_, Some(unanswered)) => open.push(unanswered),
                (Err((_, why)), None) => open.push(Unanswered {
                    method: question.method.clone(),
                    params: question.params.clone(),
                    why,
                    how: "a later version of mcpcli".to_owned(),
                    declared: false,
                }),
            }
        }
        // What is not supplied is not sent in part either: the request is simply not made again.
        if !open.is_empty() {
            return Err(ClientError { phase, fault: Fault::InputRequired(open) });
        }
        let mut members = Vec::new();
        if !responses.is_empty() {
            members.push(("inputResponses", format!("{{{}}}", responses.join(","))));
        }
        members.extend(wanted.state.as_ref().map(|state| ("requestState", state.get().to_owned())));
        Ok(members)
    }
}
