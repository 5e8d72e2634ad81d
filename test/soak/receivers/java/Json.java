import java.util.*;

/** Parses JSON into maps, lists, strings and numbers, as the JDK has no parser. */
final class Json {
    private final String text;
    private int at;

    private Json(String text) { this.text = text; }

    static Object parse(String text) {
        Json json = new Json(text);
        Object value = json.value();
        if (json.peek() != 0) throw new IllegalArgumentException("Expected the end");
        return value;
    }

    private char peek() {
        while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) at++;
        return at < text.length() ? text.charAt(at) : 0;
    }

    private boolean take(char wanted) {
        if (peek() != wanted) return false;
        at++;
        return true;
    }

    private void expect(char wanted) {
        if (!take(wanted)) throw new IllegalArgumentException("Expected " + wanted);
    }

    private Object value() {
        switch (peek()) {
            case '{': return object();
            case '[': return list();
            case '"': return string();
            default: return literal();
        }
    }

    private Map<String, Object> object() {
        Map<String, Object> map = new LinkedHashMap<>();
        expect('{');
        if (take('}')) return map;
        do {
            if (peek() != '"') throw new IllegalArgumentException("Expected a key");
            String key = string();
            expect(':');
            map.put(key, value());
        } while (take(','));
        expect('}');
        return map;
    }

    private List<Object> list() {
        List<Object> list = new ArrayList<>();
        expect('[');
        if (take(']')) return list;
        do list.add(value()); while (take(','));
        expect(']');
        return list;
    }

    private String string() {
        StringBuilder out = new StringBuilder();
        expect('"');
        while (text.charAt(at) != '"') {
            char c = text.charAt(at++);
            if (c != '\\') { out.append(c); continue; }
            char escape = text.charAt(at++);
            if (escape == 'u') {
                out.append((char) Integer.parseInt(text.substring(at, at + 4), 16));
                at += 4;
            } else {
                int known = "bfnrt".indexOf(escape);
                out.append(known < 0 ? escape : "\b\f\n\r\t".charAt(known));
            }
        }
        at++;
        return out.toString();
    }

    private Object literal() {
        int from = at;
        while (at < text.length() && ",]} \t\r\n".indexOf(text.charAt(at)) < 0) at++;
        String word = text.substring(from, at);
        if (word.equals("true") || word.equals("false")) return Boolean.valueOf(word);
        if (word.equals("null")) return null;
        return Double.valueOf(word);
    }
}
