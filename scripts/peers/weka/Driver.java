// Trains J48 and AdaBoostM1 of WEKA on ARFF files: java Driver.java TRAIN.arff TEST.arff.
// Prints a JSON object per line and setting, as main.go does.

import java.util.Locale;
import weka.classifiers.Classifier;
import weka.classifiers.meta.AdaBoostM1;
import weka.classifiers.trees.J48;
import weka.core.Instance;
import weka.core.Instances;
import weka.core.Utils;
import weka.core.converters.ConverterUtils.DataSource;

public class Driver {
  public static void main(String[] files) throws Exception {
    Instances train = read(files[0]);
    Instances test = read(files[1]);
    for (String setting :
        new String[] {"J48 -C 0.35 -M 5", "J48 -C 0.25 -M 2", "J48 -C 0.35 -M 5 -S", "AdaBoostM1 -I 30"}) {
      Classifier classifier = classifier(setting);
      long start = System.nanoTime();
      classifier.buildClassifier(train);
      double seconds = (System.nanoTime() - start) / 1e9;
      String name = new java.io.File(files[0]).getName().replace(".train.arff", "");
      System.out.printf(
          Locale.ROOT,
          "{\"program\":\"weka\",\"data\":%s,\"setting\":%s,\"trees\":%s,\"count\":%d,"
              + "\"train\":%.9f,\"test\":%.9f,\"seconds\":%.3f}%n",
          json(name), json(setting), json(classifier.toString()), count(classifier),
          errorRate(classifier, train), errorRate(classifier, test), seconds);
    }
  }

  static Instances read(String file) throws Exception {
    Instances data = new DataSource(file).getDataSet();
    data.setClassIndex(data.numAttributes() - 1);
    return data;
  }

  static Classifier classifier(String setting) throws Exception {
    String[] words = Utils.splitOptions(setting);
    words[0] = "";
    if (setting.startsWith("J48")) {
      J48 tree = new J48();
      tree.setOptions(words);
      return tree;
    }
    AdaBoostM1 boost = new AdaBoostM1();
    boost.setOptions(
        new String[] {"-I", "30", "-W", "weka.classifiers.trees.J48", "--", "-C", "0.35", "-M", "5"});
    return boost;
  }

  static int count(Classifier classifier) {
    return classifier.toString().split("J48 pruned tree", -1).length - 1;
  }

  static double errorRate(Classifier classifier, Instances data) throws Exception {
    double wrong = 0;
    double sum = 0;
    for (Instance instance : data) {
      sum += instance.weight();
      if (classifier.classifyInstance(instance) != instance.classValue()) {
        wrong += instance.weight();
      }
    }
    return wrong / sum;
  }

  static String json(String s) {
    StringBuilder out = new StringBuilder("\"");
    for (char c : s.toCharArray()) {
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || c > '~') {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.append('"').toString();
  }
}
