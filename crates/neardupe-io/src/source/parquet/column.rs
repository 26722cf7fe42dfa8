//! Which stored columns are wanted, and what their values mean.

use super::super::fields::{Fields, Node, Target};
use super::super::scalars::Meaning;
use ::parquet::basic::{
    ConvertedType, LogicalType, Repetition, TimeUnit, Type as Stored,
};
use ::parquet::schema::types::{ColumnDescPtr, ColumnDescriptor, SchemaDescriptor, Type};

/// What is wanted of a file.
#[derive(Debug, Default)]
pub(super) struct WantedColumn {
    /// In the order of the file.
    pub(super) columns: Vec<ParquetColumn>,
    /// Fields that are no single value, and are not read: what they are.
    pub(super) refused: Vec<(Vec<Target>, &'static str)>,
}

/// A column that is wanted.
#[derive(Debug)]
pub(super) struct ParquetColumn {
    /// Among the stored columns.
    pub(super) number: usize,
    /// Type and levels, as the library describes them.
    pub(super) stored: ColumnDescPtr,
    /// How a stored value becomes text: the same 64 bits can be a number, a date or a time.
    pub(super) meaning: Meaning,
    /// The fields that it is put into. One column may be text and metadata at once.
    pub(super) targets: Vec<Target>,
}

impl WantedColumn {
    /// Walks through the schema in the order of the file and notes which stored column serves
    /// which wanted field.
    pub(super) fn find(schema: &SchemaDescriptor, fields: &Fields) -> Self {
        let mut wanted = WantedColumn::default();
        let mut number = 0;
        wanted.look_into(
            schema.root_schema(),
            Some(&fields.tree),
            schema,
            &mut number,
        );
        wanted
    }

    /// Whether a field of text is among them.
    pub(super) fn has_text(&self) -> bool {
        let read = self.columns.iter().map(|column| &column.targets);
        let mut all = read.chain(self.refused.iter().map(|(targets, _)| targets));
        all.any(|targets| {
            let mut targets = targets.iter();
            targets.any(|target| matches!(target, Target::Text(_)))
        })
    }

    /// The fields of a group, or of the whole; `number` counts the stored columns.
    fn look_into(
        &mut self,
        group: &Type,
        node: Option<&Node>,
        schema: &SchemaDescriptor,
        number: &mut usize,
    ) {
        for field in group.get_fields() {
            let named = |node: &&(String, Node)| node.0 == field.name();
            let child = node.and_then(|node| node.children.iter().find(named));
            let child = child.map(|(_, child)| child);
            let found = shape(field);
            if let Some(child) = child {
                self.want(field, child, found, schema, *number);
            }
            // Every leaf is counted, also in groups that nobody wants: the number of a stored
            // column is its place among all leaves.
            if field.is_group() {
                // Fields within a list or map have no single value, so nothing below them can
                // be wanted.
                let within = child.filter(|_| found == Some(Shape::Struct));
                self.look_into(field, within, schema, number);
            } else {
                *number += 1;
            }
        }
    }

    /// Notes a field that is wanted: a single value is read, anything else is refused with its
    /// kind. `number` is the stored column that the field would be.
    fn want(
        &mut self,
        field: &Type,
        node: &Node,
        shape: Option<Shape>,
        schema: &SchemaDescriptor,
        number: usize,
    ) {
        if node.targets.is_empty() {
            return;
        }
        let targets = node.targets.clone();
        match shape {
            None => {
                let stored = schema.column(number);
                self.columns.push(ParquetColumn {
                    number,
                    meaning: meaning(&stored),
                    stored,
                    targets,
                });
            }
            Some(Shape::List) => self.refused.push((targets, "an array")),
            // As with JSON: where a field within is wanted, the object itself is not.
            Some(_) if !node.children.is_empty() => {}
            Some(_) => self.refused.push((targets, "an object")),
        }
        debug_assert!(shape.is_some() || field.is_primitive());
    }
}

/// What a field is that is no single value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// Repeated, or marked as a list.
    List,
    /// Keys and values.
    Map,
    /// Fields with names of their own.
    Struct,
}

/// None for a single value. A plain repeated field is a list by an old rule of the format that
/// some writers still use.
fn shape(field: &Type) -> Option<Shape> {
    let info = field.get_basic_info();
    if info.has_repetition() && info.repetition() == Repetition::REPEATED {
        return Some(Shape::List);
    }
    if field.is_primitive() {
        return None;
    }
    Some(match (info.logical_type_ref(), info.converted_type()) {
        (Some(LogicalType::List), _) | (_, ConvertedType::LIST) => Shape::List,
        (Some(LogicalType::Map), _)
        | (_, ConvertedType::MAP | ConvertedType::MAP_KEY_VALUE) => Shape::Map,
        _ => Shape::Struct,
    })
}

/// What the values of a column mean. A declared type counts only where it fits the stored one;
/// otherwise the values are taken as they are stored.
fn meaning(column: &ColumnDescriptor) -> Meaning {
    let declared = column.logical_type_ref().and_then(by_logical_type);
    let declared = declared.or_else(|| by_converted_type(column));
    match (column.physical_type(), declared) {
        (Stored::BOOLEAN, _) => Meaning::Bool,
        (Stored::FLOAT | Stored::DOUBLE, _) => Meaning::Float,
        // Deprecated, and used for nothing but timestamps.
        (Stored::INT96, _) => Meaning::Timestamp(1, false),
        (
            Stored::INT32 | Stored::INT64,
            Some(
                meaning @ (Meaning::Unsigned
                | Meaning::Date
                | Meaning::Time(_)
                | Meaning::Timestamp(..)
                | Meaning::Decimal(_)
                | Meaning::Other(_)),
            ),
        ) => meaning,
        (Stored::INT32 | Stored::INT64, _) => Meaning::Signed,
        (
            Stored::FIXED_LEN_BYTE_ARRAY,
            Some(
                meaning @ (Meaning::Uuid
                | Meaning::Half
                | Meaning::Decimal(_)
                | Meaning::Other(_)),
            ),
        ) => meaning,
        (
            Stored::BYTE_ARRAY,
            Some(meaning @ (Meaning::Decimal(_) | Meaning::Other(_))),
        ) => meaning,
        (Stored::FIXED_LEN_BYTE_ARRAY | Stored::BYTE_ARRAY, _) => Meaning::Text,
    }
}

/// The declared type as newer files have it. None where the stored type says enough.
fn by_logical_type(logical: &LogicalType) -> Option<Meaning> {
    Some(match logical {
        LogicalType::Integer(integer) if !integer.is_signed => Meaning::Unsigned,
        LogicalType::Decimal(decimal) => Meaning::scaled(decimal.scale),
        LogicalType::Date => Meaning::Date,
        LogicalType::Time(time) => Meaning::Time(nanoseconds(&time.unit)),
        LogicalType::Timestamp(time) => {
            Meaning::Timestamp(nanoseconds(&time.unit), time.is_adjusted_to_u_t_c)
        }
        LogicalType::Uuid => Meaning::Uuid,
        LogicalType::Float16 => Meaning::Half,
        _ => return None,
    })
}

/// What older files say instead of a logical type.
fn by_converted_type(column: &ColumnDescriptor) -> Option<Meaning> {
    Some(match column.converted_type() {
        ConvertedType::DECIMAL => Meaning::scaled(column.type_scale()),
        ConvertedType::DATE => Meaning::Date,
        ConvertedType::TIME_MILLIS => Meaning::Time(1_000_000),
        ConvertedType::TIME_MICROS => Meaning::Time(1_000),
        ConvertedType::TIMESTAMP_MILLIS => Meaning::Timestamp(1_000_000, true),
        ConvertedType::TIMESTAMP_MICROS => Meaning::Timestamp(1_000, true),
        ConvertedType::UINT_8
        | ConvertedType::UINT_16
        | ConvertedType::UINT_32
        | ConvertedType::UINT_64 => Meaning::Unsigned,
        ConvertedType::INTERVAL => Meaning::Other("an interval"),
        _ => return None,
    })
}

/// Nanoseconds of one unit.
fn nanoseconds(unit: &TimeUnit) -> i64 {
    match unit {
        TimeUnit::MILLIS => 1_000_000,
        TimeUnit::MICROS => 1_000,
        TimeUnit::NANOS => 1,
    }
}
