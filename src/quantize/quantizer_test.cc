int dummy_quantizer_test;
