//! What is read from good, odd and broken entries.

use super::*;

fn raw(text: &str) -> RawJson {
    RawValue::from_string(text.to_owned()).unwrap()
}

#[test]
fn tools() {
    let text = r#"{"x":1,"name":"add","title":null,"description":"d\ud800","inputSchema":{"type":"object","n":1e400},
        "outputSchema":null,"annotations":{"title":"T","readOnlyHint":true,"destructiveHint":"yes","openWorldHint":false}}"#;
    let tool = ToolView::read(&raw(text));
    assert_eq!((tool.name.as_deref(), tool.title.as_deref(), tool.display_title()), (Some("add"), None, Some("T")));
    assert_eq!(tool.description.as_deref(), Some("d\u{fffd}"));
    assert_eq!(tool.input_schema.unwrap().get(), r#"{"type":"object","n":1e400}"#);
    assert!(tool.output_schema.is_none());
    let ToolAnnotations { read_only, destructive, idempotent, open_world, .. } = tool.annotations;
    assert_eq!((read_only, destructive, idempotent, open_world), (Some(true), None, None, Some(false)));
    assert_eq!(tool.raw.get(), text);

    for text in ["7", "null", "[]", "{}", r#"{"name":null}"#, r#"{"name":["a"],"annotations":[1]}"#] {
        let tool = ToolView::read(&raw(text));
        assert!(tool.name.is_none() && tool.input_schema.is_none() && tool.raw.get() == text, "{text}");
        assert_eq!(tool.annotations, ToolAnnotations::default());
    }
    let schema = ToolView::read(&raw(r#"{"name":"a","name":"b","inputSchema":"{}"}"#));
    assert_eq!((schema.name.as_deref(), schema.input_schema.unwrap().get()), (Some("b"), "\"{}\""));
}

#[test]
fn the_other_lists() {
    let server = Implementation::read(&raw(r#"{"name":"demo","version":1}"#));
    assert_eq!((server.name.as_deref(), server.version), (Some("demo"), None));

    let resource = ResourceView::read(&raw(
        r#"{"uri":"file:///a","name":"a","title":"A","description":"d","mimeType":"text/plain","size":9007199254740993}"#,
    ));
    assert_eq!(resource.uri.as_deref(), Some("file:///a"));
    assert_eq!(
        (resource.mime_type.as_deref(), resource.size.as_deref()),
        (Some("text/plain"), Some("9007199254740993"))
    );
    assert_eq!(ResourceView::read(&raw(r#"{"size":"12"}"#)).size, None);

    let template = TemplateView::read(&raw(r#"{"uriTemplate":"file:///{p}","name":"n"}"#));
    assert_eq!((template.uri_template.as_deref(), template.name.as_deref()), (Some("file:///{p}"), Some("n")));

    let prompt =
        PromptView::read(&raw(r#"{"name":"p","arguments":[{"name":"a","required":true},7,{"description":"d"}]}"#));
    let names: Vec<_> = prompt.arguments.iter().map(|argument| (argument.name.as_deref(), argument.required)).collect();
    assert_eq!(names, [(Some("a"), Some(true)), (None, None), (None, None)]);
    assert!(PromptView::read(&raw(r#"{"name":"p","arguments":{}}"#)).arguments.is_empty());
}

#[test]
fn content_blocks() {
    let read = |text: &str| ContentBlock::read(&raw(text));
    assert!(matches!(read(r#"{"type":"text","text":"a\u0000"}"#), ContentBlock::Text { text } if text == "a\0"));
    assert!(matches!(read(r#"{"type":"image","data":"AA==","mimeType":"image/png"}"#),
        ContentBlock::Image { data, mime: Some(mime) } if data == "AA==" && mime == "image/png"));
    assert!(matches!(read(r#"{"type":"audio","data":"!"}"#), ContentBlock::Audio { mime: None, .. }));
    assert!(matches!(read(r#"{"type":"resource_link","uri":"u","name":"n","size":12}"#),
        ContentBlock::ResourceLink { uri, name: Some(_), size: Some(size), .. } if uri == "u" && size == "12"));
    let ContentBlock::Resource { contents } =
        read(r#"{"type":"resource","resource":{"uri":"u","blob":"AA==","text":null}}"#)
    else {
        panic!()
    };
    assert_eq!(contents, ResourceContents { uri: Some("u".into()), blob: Some("AA==".into()), ..Default::default() });
    for (text, deviation) in [
        (r#"{"type":"json","json":{}}"#, "has the unknown type \"json\", which no protocol version defines"),
        (r#"{"type":"text","text":null}"#, "has the type \"text\", but not what such a block must have"),
        (r#"{"type":"resource","resource":"u"}"#, "has the type \"resource\", but not what such a block must have"),
        (r#"{"text":"no type"}"#, "has no type"),
        ("7", "is a number"),
    ] {
        let block = read(text);
        assert_eq!(block.deviation().as_deref(), Some(deviation));
        assert!(matches!(block, ContentBlock::Unknown { raw, .. } if raw.get() == text));
    }
    assert_eq!(read(r#"{"type":"text","text":""}"#).deviation(), None);
}

#[test]
fn call_results() {
    let read = |text: &str| CallResult::read(&raw(text));
    let result = read(r#"{"content":[{"type":"text","text":"x"},7],"structuredContent":null,"isError":true}"#);
    assert!(matches!(&result.content, ContentField::Blocks(blocks) if blocks.len() == 2));
    assert!(result.is_error && result.is_object && result.structured.is_some_and(|null| null.get() == "null"));

    for text in [r#"{"count":3}"#, r#"{"content":null,"isError":null}"#, "\"hi\"", r#"{"toolResult":{"content":[]}}"#] {
        let result = read(text);
        assert!(matches!(result.content, ContentField::Missing), "{text}");
        assert!(!result.is_error && result.is_error_wrong.is_none() && result.structured.is_none());
        assert_eq!(result.is_object, text.starts_with('{'));
    }
    let result = read(r#"{"content":{"type":"text","text":"x"},"isError":"true"}"#);
    assert!(matches!(result.content, ContentField::WrongType(raw) if raw.get().starts_with("{\"type\"")));
    assert!(!result.is_error && result.is_error_wrong.is_some_and(|raw| raw.get() == "\"true\""));
}

#[test]
fn prompt_messages() {
    let message = PromptMessage::read(&raw(r#"{"role":"user","content":{"type":"text","text":"hi"}}"#));
    assert!(message.role.as_deref() == Some("user") && matches!(message.content, ContentBlock::Text { .. }));
    let message = PromptMessage::read(&raw(r#"{"role":1}"#));
    assert!(message.role.is_none() && matches!(message.content, ContentBlock::Unknown { kind: None, .. }));
}
