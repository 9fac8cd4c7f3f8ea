UPDATE supplement SET upc_digits = NULL;
