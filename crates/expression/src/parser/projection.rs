//! Projections: paths with commas between them.

use super::Parser;
use crate::error::ExpressionError;
use crate::lexer::TokenKind;
use crate::syntax::Path;

/// Reads a projection.
pub(crate) fn parse_projection(text: &str) -> Result<Vec<Path>, ExpressionError> {
    let mut parser = Parser::new(text, false)?;
    let mut paths = vec![parser.path()?];
    while parser.accept(TokenKind::Comma) {
        paths.push(parser.path()?);
    }
    parser.expect(TokenKind::End)?;
    parser.finish()?;
    Ok(paths)
}
