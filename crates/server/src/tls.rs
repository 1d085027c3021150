//! Connections that are encrypted: by a certificate that was given, with TLS 1.2 or 1.3.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{self, ServerConfig};
use tokio_rustls::server::TlsStream;

use crate::limits::TLS_AGREEMENT_TIME_MAX;

/// A certificate with its key. Clones are the same one.
#[derive(Clone)]
pub struct Tls(TlsAcceptor);

/// Why a certificate and a key make no TLS.
#[derive(Debug)]
pub enum TlsError {
    /// There is no certificate in PEM form.
    NoCertificate,
    /// There is no private key in PEM form.
    NoKey,
    /// The two don't belong together, or are of a kind that can't be used.
    Unusable(String),
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TlsError::NoCertificate => {
                f.write_str("there is no certificate in it; a PEM file has BEGIN CERTIFICATE")
            }
            TlsError::NoKey => {
                f.write_str("there is no private key in it; a PEM file has BEGIN PRIVATE KEY, not encrypted")
            }
            TlsError::Unusable(why) => write!(f, "the certificate and the key can't be used ({why})"),
        }
    }
}

impl std::error::Error for TlsError {}

impl Tls {
    /// A certificate, with those it is signed by behind it where clients need them, and its key, both PEM.
    ///
    /// # Errors
    /// When one of them isn't there, or they don't belong together.
    pub fn new(certificate: &[u8], key: &[u8]) -> Result<Tls, TlsError> {
        let chain: Vec<_> = CertificateDer::pem_slice_iter(certificate)
            .collect::<Result<_, _>>()
            .map_err(|_| TlsError::NoCertificate)?;
        if chain.is_empty() {
            return Err(TlsError::NoCertificate);
        }
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|_| TlsError::NoKey)?;
        let unusable = |error: rustls::Error| TlsError::Unusable(error.to_string());
        let mut settings = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(unusable)?
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(unusable)?;
        settings.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Tls(TlsAcceptor::from(Arc::new(settings))))
    }

    /// Agrees with a client on keys; nothing where it didn't, or took too long.
    pub(crate) async fn agree(&self, stream: TcpStream) -> Option<Stream> {
        let agreed = tokio::time::timeout(TLS_AGREEMENT_TIME_MAX, self.0.accept(stream)).await;
        Some(Stream::Encrypted(Box::new(agreed.ok()?.ok()?)))
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

/// A connection, encrypted or not.
pub(crate) enum Stream {
    Plain(TcpStream),
    Encrypted(Box<TlsStream<TcpStream>>),
}

impl AsyncRead for Stream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_read(context, buffer),
            Stream::Encrypted(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Stream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_write(context, bytes),
            Stream::Encrypted(stream) => Pin::new(stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_write_vectored(context, buffers),
            Stream::Encrypted(stream) => Pin::new(stream).poll_write_vectored(context, buffers),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Stream::Plain(stream) => stream.is_write_vectored(),
            Stream::Encrypted(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_flush(context),
            Stream::Encrypted(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Stream::Plain(stream) => Pin::new(stream).poll_shutdown(context),
            Stream::Encrypted(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
