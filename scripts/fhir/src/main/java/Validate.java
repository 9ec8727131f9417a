import ca.uhn.fhir.context.FhirContext;
import ca.uhn.fhir.context.support.DefaultProfileValidationSupport;
import ca.uhn.fhir.validation.FhirValidator;
import ca.uhn.fhir.validation.ResultSeverityEnum;
import java.nio.file.Files;
import java.nio.file.Path;
import org.hl7.fhir.common.hapi.validation.support.CommonCodeSystemsTerminologyService;
import org.hl7.fhir.common.hapi.validation.support.InMemoryTerminologyServerValidationSupport;
import org.hl7.fhir.common.hapi.validation.support.ValidationSupportChain;
import org.hl7.fhir.common.hapi.validation.validator.FhirInstanceValidator;

/** Validates files of FHIR R4 with HAPI, and prints the errors of each. */
public class Validate {
    public static void main(String[] files) throws Exception {
        FhirContext context = FhirContext.forR4();
        var support = new ValidationSupportChain(new DefaultProfileValidationSupport(context),
            new InMemoryTerminologyServerValidationSupport(context), new CommonCodeSystemsTerminologyService(context));
        FhirValidator validator = context.newValidator();
        validator.registerValidatorModule(new FhirInstanceValidator(support));
        for (String file : files) {
            var result = validator.validateWithResult(Files.readString(Path.of(file)));
            var errors = result.getMessages().stream().filter(m -> m.getSeverity().compareTo(ResultSeverityEnum.ERROR) >= 0).toList();
            System.out.printf("%s: %d errors, %d messages%n", file, errors.size(), result.getMessages().size());
            errors.forEach(m -> System.out.println("  " + m.getLocationString() + ": " + m.getMessage()));
        }
    }
}
