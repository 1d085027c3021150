//! What HTTP alone costs: reads each request to its end and answers it with the same 200 bytes.

use std::convert::Infallible;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    drop(request.into_body().collect().await);
    Ok(Response::new(Full::new(Bytes::from_static(&[b' '; 200]))))
}

fn main() -> std::io::Result<()> {
    let port: u16 = std::env::args().nth(1).and_then(|port| port.parse().ok()).unwrap_or(0);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, async {
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            tokio::task::spawn_local(
                http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(answer)),
            );
        }
    })
}
