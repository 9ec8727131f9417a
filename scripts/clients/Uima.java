import java.io.ByteArrayInputStream;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import org.apache.uima.UIMAFramework;
import org.apache.uima.cas.CAS;
import org.apache.uima.cas.Type;
import org.apache.uima.cas.impl.XmiCasDeserializer;
import org.apache.uima.cas.impl.XmiCasSerializer;
import org.apache.uima.cas.text.AnnotationFS;
import org.apache.uima.resource.metadata.TypeSystemDescription;
import org.apache.uima.util.CasCreationUtils;
import org.apache.uima.util.XMLSerializer;

/**
 * Asks a running "lethe serve" for predictions with Apache UIMA, which INCEpTION uses to write documents and to read answers:
 *
 * <pre>java -cp CLASSPATH scripts/clients/Uima.java http://127.0.0.1:5002/inception/en</pre>
 *
 * The classpath is that of org.apache.uima:uimaj-core:3.6.0. The program fails if the text or another annotation changes, or if a
 * prediction does not cover what its span covers.
 */
public class Uima {
    static final String[] NOTES = {
        "Mrs. Harriet Quimby was seen by Dr. Oswald Pemberton on 03/14/2087.",
        "\uD83D\uDE00 Patient \uD83D\uDC69\uD83C\uDFFD\u200D\u2695\uFE0F: Mrs. Harriet Quimby, seen on 03/14/2087 \uD83D\uDC4D.",
        "Visit\r\n\r\nMrs. Harriet Quimby\r\nwas seen by Dr. Oswald Pemberton\r\ron\t03/14/2087.\n",
        "\uFEFF<b>&amp;</b> \"Mrs.\" Harriet Quimby's e\u0301 \uD835\uDC00 notes, 03/14/2087 ]]> \u2028 \u0085 end",
        "\u05E9\u05DC\u05D5\u05DD Mrs. Harriet Quimby was seen on 03/14/2087 \u05E2\u05D5\u05DC\u05DD",
        "",
    };
    static final String LAYER = "webanno.custom.PHI", TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token";

    public static void main(String[] args) throws Exception {
        TypeSystemDescription types = UIMAFramework.getResourceSpecifierFactory().createTypeSystemDescription();
        types.addType(TOKEN, "", CAS.TYPE_NAME_ANNOTATION);
        var layer = types.addType(LAYER, "PHI", CAS.TYPE_NAME_ANNOTATION);
        layer.addFeature("value", "", CAS.TYPE_NAME_STRING);
        layer.addFeature("inception_internal_predicted", "", CAS.TYPE_NAME_BOOLEAN);
        layer.addFeature("value_score", "", CAS.TYPE_NAME_DOUBLE);
        layer.addFeature("value_score_explanation", "", CAS.TYPE_NAME_STRING);
        int total = 0;
        for (String note : NOTES) {
            for (String mode : new String[] {"characters", "tokens"}) {
                total += check(types, note, mode, args[0]);
            }
        }
        System.out.println(total + " predictions, all where they should be");
    }

    static int check(TypeSystemDescription types, String note, String mode, String url) throws Exception {
        CAS cas = CasCreationUtils.createCas(types, null, null);
        cas.setDocumentText(note);
        cas.setDocumentLanguage("en");
        Type token = cas.getTypeSystem().getType(TOKEN), layer = cas.getTypeSystem().getType(LAYER);
        var words = java.util.regex.Pattern.compile("\\S+").matcher(note);
        while (words.find()) {
            cas.addFsToIndexes(cas.createAnnotation(token, words.start(), words.end()));
        }
        int before = cas.getAnnotationIndex().size();
        var xmi = new StringWriter();
        new XmiCasSerializer(null).serialize(cas, new XMLSerializer(xmi, true).getContentHandler(), null, null, null);
        var description = new StringWriter();
        types.toXML(description);
        String body = "{\"metadata\":{\"layer\":" + quote(LAYER) + ",\"feature\":\"value\",\"projectId\":1,\"anchoringMode\":" + quote(mode)
            + ",\"crossSentence\":true,\"range\":{\"begin\":0,\"end\":0}},\"document\":{\"xmi\":" + quote(xmi.toString())
            + ",\"documentId\":1,\"userId\":\"anna\"},\"typeSystem\":" + quote(description.toString()) + "}";
        var request = HttpRequest.newBuilder(URI.create(url + "/predict")).header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8)).build();
        var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        require(response.statusCode() == 200, response.statusCode() + " " + response.body());
        String answer = unquote(response.body().substring(response.body().indexOf(":") + 1));
        XmiCasDeserializer.deserialize(new ByteArrayInputStream(answer.getBytes(StandardCharsets.UTF_8)), cas, true);
        require(cas.getDocumentText().equals(note), "the text has changed");
        int found = 0;
        for (AnnotationFS a : cas.<AnnotationFS>getAnnotationIndex(layer)) {
            require(a.getBooleanValue(layer.getFeatureByBaseName("inception_internal_predicted")), "no prediction");
            double score = a.getDoubleValue(layer.getFeatureByBaseName("value_score"));
            System.out.printf("%-10s %-10s %.2f %s%n", mode, a.getStringValue(layer.getFeatureByBaseName("value")), score, quote(a.getCoveredText()));
            require(a.getCoveredText().equals(a.getCoveredText().trim()), "white space");
            found++;
        }
        require(note.isEmpty() || note.contains("Harriet Quimby") && found >= 2, "too little was found");
        require(cas.getAnnotationIndex().size() == before + found, "another annotation has changed");
        return found;
    }

    static void require(boolean ok, String message) {
        if (!ok) {
            throw new AssertionError(message);
        }
    }

    static String quote(String s) {
        var b = new StringBuilder("\"");
        for (char c : s.toCharArray()) {
            b.append(c == '"' || c == '\\' ? "\\" + c : c < ' ' ? String.format("\\u%04x", (int) c) : String.valueOf(c));
        }
        return b.append('"').toString();
    }

    /** Returns the string at the beginning of JSON. */
    static String unquote(String json) {
        var b = new StringBuilder();
        for (int i = json.indexOf('"') + 1; json.charAt(i) != '"'; i++) {
            char c = json.charAt(i);
            if (c != '\\') {
                b.append(c);
                continue;
            }
            c = json.charAt(++i);
            switch (c) {
                case 'n': b.append('\n'); break;
                case 't': b.append('\t'); break;
                case 'r': b.append('\r'); break;
                case 'b': b.append('\b'); break;
                case 'f': b.append('\f'); break;
                case 'u': b.append((char) Integer.parseInt(json.substring(i + 1, i + 5), 16)); i += 4; break;
                default: b.append(c);
            }
        }
        return b.toString();
    }
}
