//! GetItem: the item with this key.

use keyplan_expression::Projection;
use keyplan_value::Item;
use keyplan_value::json::{Node, Writer};

use super::legacy::AttributesToGet;
use super::parameters::{self, Generations, Layer, PlaceholderMaps, consistency, required, table_reference};
use super::{Answer, Failure};
use crate::capacity::{CapacityDetail, Consumption};
use crate::context::Context;
use crate::indexes;
use crate::keys::ItemKey;
use crate::read::{self, write_item};
use crate::validate::string;

const GENERATIONS: Generations =
    Generations { older: &["AttributesToGet"], expressions: &["ProjectionExpression"], values_detail: None };

/// Runs one GetItem.
pub(super) fn get_item(ctx: &Context<'_>, request: Node<'_, '_>) -> Result<Answer, Failure> {
    let key = Item::from_json(required(request, "Key")?);
    let maps = PlaceholderMaps::names(request);
    let attributes = AttributesToGet::read(request);
    parameters::check_first_faults(Layer::Read, key.as_ref().err().into_iter().chain(attributes.errors()))?;
    GENERATIONS.check(request)?;
    let placeholders = maps.into_placeholders(Layer::Read)?;
    let attributes = attributes.projection()?;
    let key = key.map_err(|error| Layer::Read.value(error))?;
    let projection = parameters::projection(ctx, Layer::Read, request, &placeholders)?.or(attributes);
    parameters::check_unused(Layer::Read, &placeholders)?;

    let table = table_reference(request)?;
    let consistency = consistency(request);
    let mut tracer = ctx.tracer();
    let (item, charge) = read::on_current_table(
        ctx,
        || ctx.table(&table),
        |table| {
            let place = ItemKey::of_key(&table.key_schema, key.as_ref())?;
            indexes::check_paths(table, None, projection.iter().flat_map(Projection::paths))?;
            read::get(ctx, &mut tracer, table, &place, consistency)
        },
    )?;

    let mut body = Vec::new();
    let mut json = Writer::new(&mut body);
    json.begin_object();
    if let Some(item) = &item {
        // A projection that matches nothing still leaves an empty Item.
        json.name("Item").value_with(|out| write_item(ctx.kept(), item.as_ref(), projection.as_ref(), out));
    }
    let detail = CapacityDetail::from_request(string(request, "ReturnConsumedCapacity").as_deref());
    Consumption::of_table(charge.units()).write(detail, table.sent(), &mut json);
    json.end_object();
    Ok(Answer { body, trace: tracer.finish() })
}
